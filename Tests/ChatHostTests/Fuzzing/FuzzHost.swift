// The fuzz targets of the host: what another program or an export gives it.

import BLIPNet
import ChatCore
import Storage
import TestSupport

@testable import ChatHost
@testable import ChatSettings

extension FuzzTarget {
    /// The targets of this folder.
    static let host: [FuzzTarget] = [
        FuzzTarget(name: "control-line", run: fuzzControlLine),
        FuzzTarget(name: "import", run: fuzzImport),
    ]
}

/// Any line as JSON, as a greeting and as a line of a session: what is read comes back when it is written.
func fuzzControlLine(_ bytes: UnsafeRawBufferPointer) throws {
    guard let json = try? JSONReader.read(Array(bytes)) else { return }
    let text = json.text
    try require(try JSONReader.read(Array(text.utf8)) == json, "\(text) comes back as something else")
    let isHarmless = text.unicodeScalars.allSatisfy { scalar in
        scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value) && !scalar.properties.isBidiControl
    }
    try require(isHarmless, "the text of a value is not safe to print")
    if let greeting = SessionGreeting(json), greeting.refusal == nil {
        try require(SessionGreeting(greeting.json) == greeting, "a greeting comes back as something else")
    }
    if let line = try? SessionLine(json) {
        let written = try line.json()
        try require(try SessionLine(written).json() == written, "a line of a session comes back as something else")
    }
}

/// Any text as an export: refused as a whole, or added, and a second time nothing new is found in it.
func fuzzImport(_ bytes: UnsafeRawBufferPointer) throws {
    let text = Array(bytes)
    try fuzzTask {
        let folder = try TemporaryDirectory(in: TemporaryDirectory.memory)
        let file = folder.file("export.json")
        try TestFile.write(text, to: file)
        let store = try await HistoryDatabase.open(at: folder.file("history.sqlite"))
        do {
            let first = try await HistoryImporter(store: store, path: file).run()
            let second = try await HistoryImporter(store: store, path: file).run()
            await store.close()
            let added = second.contacts + second.messages + second.operations
            try require(added == 0, "the second import adds \(added) after \(first)")
        } catch let error as CommandError {
            // Refused: nothing of it may be there.
            let conversations = try await store.conversations()
            await store.close()
            try require(conversations.isEmpty, "\(error), and yet there are \(conversations.count) contacts")
        }
    }
}
