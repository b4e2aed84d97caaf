// Sentences about files of a folder that are not sent with it.

package import ChatCore
import Glibc

extension Sentences {
    /// Why a file is not sent, as the end of a sentence.
    package static func reason(for reason: LeftOutFile.Reason) -> String {
        switch reason {
        case .tooDeep(let limit): "it is more than \(limit) folders deep (send the inner folder on its own)"
        case .pathTooLong(let limit):
            "its folder names add up to more than \(limit) bytes (send the inner folder on its own)"
        case .nameIsNoText: "its name is not UTF-8 text (rename it)"
        case .unreadable(let code): String(cString: strerror(code)).lowercased()
        case .ours: "it is your key or your history, which stays here"
        }
    }

    /// A line for each of the first files, and how many more there are.
    package static func lines(for files: [LeftOutFile], atMost limit: Int) -> [String] {
        var lines = files.prefix(limit).map { file in
            "\(SafeText(file.path, as: .line).text): \(reason(for: file.reason))"
        }
        if files.count > limit { lines.append("and \(files.count - limit) more") }
        return lines
    }
}
