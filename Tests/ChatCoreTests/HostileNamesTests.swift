// Hundreds of hostile file names through real transfers: none leaves the folder, none overwrites, none is lost.

import BLIPNet
import CLinux
import Glibc
import Testing

@testable import ChatCore

/// The names of Corpus/hostile-names.txt.
enum HostileNames {
    static func read() throws -> [String] {
        let here = "\(#filePath)"
        let folder = here.prefix(upTo: here.lastIndex(of: "/") ?? here.startIndex)
        let text = try #require(String(validating: try readFile(folder + "/Corpus/hostile-names.txt"), as: UTF8.self))
        return try text.unicodeScalars.split(separator: "\n").filter { $0.first != "#" }.map { try unescaped($0) }
    }

    private static func unescaped(_ line: String.UnicodeScalarView.SubSequence) throws -> String {
        var scalars = String.UnicodeScalarView()
        var rest = line
        while let scalar = rest.popFirst() {
            guard scalar == "\\" else {
                scalars.append(scalar)
                continue
            }
            if rest.popFirst() == "u" {
                let digits = rest.dropFirst().prefix { $0 != "}" }
                let value = try #require(UInt32(String(digits), radix: 16), "\(line)")
                scalars.append(try #require(Unicode.Scalar(value)))
                rest = rest[digits.endIndex...].dropFirst()
            } else {
                scalars.append("\\")
            }
        }
        return String(scalars)
    }
}

@Suite("Hostile file names") struct HostileNamesTests {
    @Test("what is made of a name stays what it is, also where it was cut at a blank")
    func stays() {
        for count in 180...195 {
            let once = FileNameSanitizer.sanitized(String(repeating: "x", count: count) + " . y")
            #expect(FileNameSanitizer.sanitized(once) == once)
            #expect(once.utf8.last != UInt8(ascii: " ") && once.utf8.last != UInt8(ascii: "."))
        }
    }

    @Test("become single safe names, and are the same when they are sanitised again")
    func sanitised() throws {
        let names = try HostileNames.read() + ["", "a\u{0}b", "\u{0}", "..\u{0}/x"]
        #expect(names.count >= 200)
        for raw in names {
            let name = FileNameSanitizer.sanitized(raw)
            expectSafe(name, raw)
            #expect(FileNameSanitizer.sanitized(name).utf8.elementsEqual(name.utf8), "\(raw.debugDescription)")
            for number in [2, 999] { expectSafe(FileNameSanitizer.numbered(name, number), raw) }
            let id = MessageID(at: Timestamp(milliseconds: 1))
            let partial = FileNameSanitizer.partialName(raw, id)
            #expect(FolderCalls.isComponent(partial))
            #expect(FileNameSanitizer.transferID(ofPartial: partial) == id)
            #expect(FileNameSanitizer.transferID(ofPartial: FileNameSanitizer.mapName(raw, id)) == id)
        }
    }

    private func expectSafe(_ name: String, _ raw: String) {
        let words: Comment = "\(raw.debugDescription) became \(name.debugDescription)"
        #expect(FolderCalls.isComponent(name), words)
        #expect(name.utf8.count <= 200, words)
        #expect(!name.utf8.contains(UInt8(ascii: "\\")) && !name.utf8.contains(UInt8(ascii: ":")), words)
        if let first = name.unicodeScalars.first { #expect(!"-.~ ".unicodeScalars.contains(first), words) }
        if let last = name.unicodeScalars.last { #expect(last != " " && last != ".", words) }
        for scalar in name.unicodeScalars {
            let category = scalar.properties.generalCategory
            let isBad =
                [.control, .format, .privateUse, .unassigned, .surrogate, .lineSeparator, .paragraphSeparator]
                .contains(category) || scalar.properties.isDefaultIgnorableCodePoint
            #expect(!isBad, words)
        }
    }

    @Test("arrive beneath the downloads folder and nowhere else, each with its own content")
    func throughRealTransfers() async throws {
        let cage = try Cage()
        let pair = try await TransferPair(bob: {
            $0.downloadsFolder = cage.downloads
            $0.limits.operationsPerSecond = 1e6
            $0.limits.operationBurst = 1e6
        })
        let before = try TreeSnapshot(cage.root, except: cage.downloads)
        let workingFolder = names(in: ".")
        let raw = try HostileNames.read()
        #expect(raw.count >= 200)
        let contact = try await pair.alice.contactID("bob")
        var offers: [(id: MessageID, name: String, bytes: [UInt8])] = []
        for (number, name) in raw.enumerated() {
            let bytes = Array("file \(number)".utf8)
            let path = pair.alice.home + "/source-\(number)"
            try writeFile(path, bytes)
            let facts = try OpenFile.forReading(path).facts()
            // Past sendFile, which refuses such names: a hostile peer has a program of its own.
            let message = try await pair.alice.store.enqueueFileOffer(
                to: contact,
                file: NewOutgoingFile(
                    path: path, name: name, size: facts.size, modified: facts.modified, contentType: "x/y", caption: ""),
                at: Timestamp(milliseconds: 1_700_000_000_000))
            offers.append((message.id, name, bytes))
            await pair.alice.client.run { $0.outbox.pump(contact) }
        }
        for offer in offers { try await pair.bob.waitForState(.complete, of: offer.id) }
        var paths: Set<[UInt8]> = []
        for offer in offers {
            let row = try await pair.bob.row(offer.id)
            #expect(row.name.utf8.elementsEqual(offer.name.utf8), "the raw name stays in the history")
            let path = try #require(row.path)
            #expect(path.utf8.starts(with: (cage.downloads + "/").utf8))
            // By bytes: a name may begin with a mark that Swift would join with the slash.
            let name = String(decoding: path.utf8.dropFirst(cage.downloads.utf8.count + 1), as: UTF8.self)
            #expect(FolderCalls.isComponent(name), "\(path.debugDescription)")
            #expect(paths.insert(Array(path.utf8)).inserted, "\(path) twice")
            #expect(try readFile(path) == offer.bytes)
            var status = stat()
            #expect(lstat(path, &status) == 0 && status.st_mode == S_IFREG | 0o600)
        }
        #expect(names(in: cage.downloads).count == offers.count, "nothing else is in the folder")
        #expect(try TreeSnapshot(cage.root, except: cage.downloads).differences(from: before) == [])
        #expect(names(in: ".") == workingFolder)
        await pair.stop()
    }
}

/// A downloads folder with precious things all around it.
final class Cage {
    let root: String
    let downloads: String

    init() throws {
        var template = Array("/tmp/blipchat-cage-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        root = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        downloads = root + "/home/bob/Downloads"
        for folder in [
            "/etc", "/outside", "/home", "/home/bob", "/home/bob/.ssh", "/home/bob/.config", "/home/bob/a",
            "/home/bob/Downloads", "/home/bob/etc",
        ] { mkdir(root + folder, 0o700) }
        for file in [
            "/etc/passwd", "/outside/canary", "/x", "/canary", "/home/x", "/home/canary", "/home/bob/x",
            "/home/bob/.bashrc", "/home/bob/.ssh/authorized_keys", "/home/bob/canary", "/home/bob/etc/passwd",
        ] { try writeFile(root + file, Array("precious \(file)".utf8)) }
    }

    deinit { removeFolder(root) }
}
