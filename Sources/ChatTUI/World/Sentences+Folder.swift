// The sentence about a folder that has ended.

import ChatCore
import ChatWords

extension Sentences {
    /// News of a folder whose last file has just ended.
    static func ended(_ group: TransferGroup, named words: TransferWords, with name: String) -> String {
        let folder = "#\(group.number.rawValue) \(words.name.text)"
        if let part = group.partlyDone { return "\(folder): \(part)" }
        return ended(folder, group.state, group.reason, group.direction, with: name)
    }
}
