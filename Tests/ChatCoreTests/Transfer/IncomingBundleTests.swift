// A bundle on its way to the disk: nothing that is not verified, nothing over what is there, nothing half.

import BLIPNet
import Glibc
import Testing

@testable import ChatCore

@Suite("Bundles on the disk") struct IncomingBundleTests {
    private func transfer(_ name: String, _ bytes: [UInt8], in folder: String) -> FileTransfer {
        let id = MessageID(at: Timestamp(milliseconds: 5))
        return FileTransfer(
            id: id, number: TransferNumber(1), contact: ContactID(1), direction: .incoming, name: name,
            size: UInt64(bytes.count), modified: Timestamp(milliseconds: 7), state: .accepted,
            path: folder + "/" + FileNameSanitizer.partialName(name, id), offered: Timestamp(milliseconds: 5))
    }

    private func content(_ bytes: [UInt8]) -> FileBundleReply.File {
        FileBundleReply.File(
            modified: Timestamp(milliseconds: 7), sha256: SHA256Digest.hash(bytes).hex, bytes: bytes[...])
    }

    private func visible(_ folder: String) -> Set<String> { Set(names(in: folder).filter { !$0.hasPrefix(".") }) }

    @Test("files have their names after the second step only, and take nobody's", arguments: [2, 12])
    func inTwoSteps(count: Int) async throws {
        let home = try TestPeer.makeFolder()
        defer { removeFolder(home) }
        let folder = home + "/new/deeper"
        let files = (0..<count).map { number in
            let bytes = Array("content \(number)".utf8)
            // Two of each name.
            return (transfer: transfer("\(number / 2).txt", bytes, in: folder), content: content(bytes))
        }
        let kept = IncomingBundle.write(files)
        #expect(kept.count == count)
        #expect(visible(folder).isEmpty)
        // Somebody takes a name in between.
        try writeFile(folder + "/0.txt", Array("mine".utf8))
        let finished = IncomingBundle.finish(kept)
        #expect(finished.count == count - 1)
        #expect(try readFile(folder + "/0.txt") == Array("mine".utf8))
        for (file, kept) in zip(files, kept) where finished.contains(kept.id) {
            #expect(try readFile(kept.path) == Array(file.content.bytes))
        }
        IncomingBundle.drop(kept.filter { !finished.contains($0.id) })
        #expect(names(in: folder).count == count, "nothing hidden is left")
    }

    @Test("another digest, length or time, and a folder that cannot be made, leave a file out and nothing behind")
    func leftOut() async throws {
        let home = try TestPeer.makeFolder()
        defer { removeFolder(home) }
        try writeFile(home + "/file", [])
        let bytes = Array("content".utf8)
        var damaged = content(bytes)
        damaged.bytes = Array("c0ntent".utf8)[...]
        var older = content(bytes)
        older.modified = Timestamp(milliseconds: 6)
        let kept = IncomingBundle.write([
            (transfer("damaged", bytes, in: home), damaged), (transfer("older", bytes, in: home), older),
            (transfer("short", bytes + bytes, in: home), content(bytes)),
            (transfer("nowhere", bytes, in: home + "/file/below"), content(bytes)),
            (transfer("good", bytes, in: home), content(bytes)),
        ])
        #expect(IncomingBundle.finish(kept).count == 1)
        #expect(Set(names(in: home)) == ["file", "good"])
    }

    @Test("a file that takes the place of a hidden one does not become the result")
    func exchanged() async throws {
        let home = try TestPeer.makeFolder()
        defer { removeFolder(home) }
        let bytes = Array("content".utf8)
        let file = transfer("a.txt", bytes, in: home)
        let kept = IncomingBundle.write([(file, content(bytes))])
        let partial = try #require(file.path)
        unlink(partial)
        try writeFile(partial, Array("foreign".utf8))
        #expect(IncomingBundle.finish(kept).isEmpty)
        #expect(visible(home).isEmpty)
    }
}
