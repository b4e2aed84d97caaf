// Keys on disk, the safety number, and the text forms of ids and addresses.

import BLIPNet
import CLinux
import Glibc
import Testing

@testable import ChatCore

@Suite("Who we are") struct IdentityTests {
    private func withFolder(_ body: (String) throws -> Void) throws {
        var template = Array("/tmp/blipchat-id-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { removeFolder(folder) }
        try body(folder)
    }

    @Test("the key is made once, 0600 in a folder of 0700")
    func create() throws {
        try withFolder { folder in
            let path = folder + "/home/identity.key"
            #expect(try IdentityFile.load(at: path) == nil)
            let first = try IdentityFile.loadOrCreate(at: path)
            #expect(try IdentityFile.loadOrCreate(at: path).fingerprint == first.fingerprint)
            #expect(names(in: folder + "/home") == ["identity.key"])
            var status = stat()
            #expect(stat(path, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600)
            #expect(stat(folder + "/home", &status) == 0)
            #expect(status.st_mode & 0o777 == 0o700)
        }
    }

    @Test("a key that was opened before serves while the file holds it, and no longer")
    func openedBefore() throws {
        try withFolder { folder in
            let path = folder + "/identity.key"
            let first = try IdentityFile.loadOrCreate(at: path)
            let passphrase = try #require(Passphrase("correct horse"))
            _ = try IdentityFile.protect(at: path, with: passphrase, present: nil)
            let opened = try #require(try IdentityFile.load(at: path, passphrase: passphrase))
            #expect(try IdentityFile.loadOrCreate(at: path, opened: opened) == first)

            _ = try IdentityFile.putAside(at: path)
            let second = try IdentityFile.loadOrCreate(at: path, opened: opened)
            #expect(second.fingerprint != first.fingerprint)
            #expect(try IdentityFile.loadOrCreate(at: path, opened: opened).fingerprint == second.fingerprint)

            // What is wrong with the file is wrong, whatever was read before.
            chmod(path, 0o644)
            #expect(throws: IdentityError.exposed(path: path, mode: 0o644)) {
                try IdentityFile.loadOrCreate(at: path, opened: second)
            }
        }
    }

    @Test("a key that others may read, or a damaged one, is refused and left alone")
    func refused() throws {
        try withFolder { folder in
            let path = folder + "/identity.key"
            _ = try IdentityFile.loadOrCreate(at: path)
            chmod(path, 0o640)
            #expect(throws: IdentityError.exposed(path: path, mode: 0o640)) { try IdentityFile.loadOrCreate(at: path) }
            chmod(path, 0o600)
            chmod(folder, 0o777)
            #expect(throws: IdentityError.exposed(path: folder, mode: 0o777)) {
                try IdentityFile.loadOrCreate(at: path)
            }
            chmod(folder, 0o700)
            try writeFile(path, Array("nonsense".utf8))
            #expect(throws: IdentityError.damaged(path: path)) { try IdentityFile.loadOrCreate(at: path) }
            #expect(try readFile(path) == Array("nonsense".utf8))
        }
    }

    @Test("a restored key takes no other's place; what is put aside is kept")
    func restored() throws {
        try withFolder { folder in
            let path = folder + "/identity.key"
            let first = try IdentityFile.loadOrCreate(at: path)
            let second = try TLSIdentity.generate()
            #expect(throws: IdentityError.exists(path: path)) { try IdentityFile.install(second, at: path) }
            #expect(try IdentityFile.load(at: path)?.fingerprint == first.fingerprint)
            let aside = try IdentityFile.putAside(at: path)
            try IdentityFile.install(second, at: path)
            #expect(try IdentityFile.load(at: path)?.fingerprint == second.fingerprint)
            #expect(try IdentityFile.load(at: aside)?.fingerprint == first.fingerprint)
            var status = stat()
            #expect(stat(aside, &status) == 0 && status.st_mode & 0o777 == 0o600)
            #expect(names(in: folder) == ["identity.key", String(aside.dropFirst(folder.count + 1))])
            // The same one again is no other one.
            try IdentityFile.install(second, at: path)
        }
    }

    @Test("a sealed key is opened by its passphrase only; who we are needs none")
    func sealed() throws {
        try withFolder { folder in
            let path = folder + "/identity.key"
            let passphrase = try #require(Passphrase("correct horse"))
            let other = try #require(Passphrase("correct cow"))
            #expect(throws: IdentityError.failed(call: "realpath", path: path, errno: ENOENT)) {
                try IdentityFile.protect(at: path, with: passphrase, present: nil)
            }
            let first = try IdentityFile.loadOrCreate(at: path)
            let open = try readFile(path)
            let sealing = try IdentityFile.protect(at: path, with: passphrase, present: nil)
            #expect(sealing.fingerprint == first.fingerprint && sealing.removed == [] && !sealing.hasOtherNames)
            #expect(try IdentityFile.isSealed(at: path))
            #expect(try readFile(path) != open && names(in: folder) == ["identity.key"])
            var status = stat()
            #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
            #expect(try IdentityFile.fingerprint(at: path) == first.fingerprint)

            #expect(throws: IdentityError.sealed(path: path)) { try IdentityFile.loadOrCreate(at: path) }
            #expect(throws: IdentityError.wrongPassphrase(path: path)) {
                try IdentityFile.load(at: path, passphrase: other)
            }
            let opened = try #require(try IdentityFile.load(at: path, passphrase: passphrase))
            #expect(try IdentityFile.loadOrCreate(at: path, opened: opened) == first)

            // What does not have the present passphrase changes nothing.
            let before = try readFile(path)
            for present in [nil, other] {
                #expect(throws: IdentityError.self) {
                    try IdentityFile.protect(at: path, with: nil, present: present)
                }
            }
            #expect(try readFile(path) == before)
            _ = try IdentityFile.protect(at: path, with: other, present: passphrase)
            #expect(throws: IdentityError.wrongPassphrase(path: path)) {
                try IdentityFile.load(at: path, passphrase: passphrase)
            }
            _ = try IdentityFile.protect(at: path, with: nil, present: other)
            #expect(try IdentityFile.loadOrCreate(at: path) == first)
            #expect(try readFile(path) == open)
        }
    }

    @Test("of a key that is sealed no open copy stays: not in the old file, not beside it, not behind a link")
    func sealedWithoutCopies() throws {
        try withFolder { folder in
            let path = folder + "/elsewhere.key"
            let link = folder + "/identity.key"
            let passphrase = try #require(Passphrase("correct horse"))
            let identity = try IdentityFile.loadOrCreate(at: path)
            symlink(path, link)
            let open = try readFile(path)
            // What killed processes and former restores have left.
            let aside = IdentityFile.pathAside(of: identity.fingerprint, at: path)
            let other = IdentityFile.pathAside(of: try TLSIdentity.generate().fingerprint, at: path)
            let killed = path + ".17.new"
            for copy in [aside, killed, path + ".18.new"] { try writeFile(copy, open) }
            try writeFile(path + ".18.new", Array(open.dropLast(80)))
            try writeFile(other, Array("of somebody else".utf8))
            // Whoever holds the old file open sees what became of its bytes.
            var held: [Int32] = []
            for name in [path, aside] { held.append(Glibc.open(name, O_RDONLY | O_CLOEXEC)) }
            defer { for descriptor in held { close(descriptor) } }

            let result = try IdentityFile.protect(at: link, with: passphrase, present: nil)
            #expect(result.removed == [aside, killed, path + ".18.new"].sorted() && !result.hasOtherNames)
            let left = Set(names(in: folder))
            #expect(left == ["elsewhere.key", "identity.key", String(other.dropFirst(folder.count + 1))])
            var status = stat()
            #expect(lstat(link, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
            #expect(try IdentityFile.isSealed(at: link))
            for descriptor in held {
                var bytes = [UInt8](repeating: 1, count: open.count)
                #expect(pread(descriptor, &bytes, bytes.count, 0) == open.count)
                #expect(bytes.allSatisfy { $0 == 0 })
            }
        }
    }

    @Test("a key file with another name is not destroyed under that one, but it is said")
    func sealedWithOtherName() throws {
        try withFolder { folder in
            let path = folder + "/identity.key"
            let passphrase = try #require(Passphrase("correct horse"))
            _ = try IdentityFile.loadOrCreate(at: path)
            let open = try readFile(path)
            link(path, folder + "/kept")
            #expect(try IdentityFile.protect(at: path, with: passphrase, present: nil).hasOtherNames)
            #expect(try readFile(folder + "/kept") == open)
        }
    }

    @Test("the safety number is the same on both sides and another for every pair")
    func safetyNumber() throws {
        let ids = try (0..<3).map { PeerID(try #require(SPKIFingerprint([UInt8](repeating: UInt8($0), count: 32)))) }
        let number = SafetyNumber.groups(ids[0], ids[1])
        #expect(number == SafetyNumber.groups(ids[1], ids[0]))
        #expect(number.count == 12)
        #expect(number.allSatisfy { $0.utf8.count == 5 && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
        #expect(number != SafetyNumber.groups(ids[0], ids[2]))
    }

    @Test("addresses are read as others write them: the scheme in any case, zones as in URIs, names with letters")
    func foreignForms() throws {
        #expect(try PeerAddress(parsing: "BLIP://h:1") == PeerAddress(host: "h", port: 1))
        #expect(try PeerAddress(parsing: "Blip://[fe80::1%25eth0]:7").host == "fe80::1%eth0")
        #expect(try PeerAddress(parsing: "[fe80::1%eth0]").host == "fe80::1%eth0")
        #expect(try PeerAddress(parsing: "blip://bücher.example").host == "bücher.example")
        #expect(throws: PeerAddressError.wrongScheme("BLOP")) { try PeerAddress(parsing: "BLOP://h:1") }
    }

    @Test("peer ids, message ids and addresses survive their text forms")
    func textForms() throws {
        for seed in 0..<50 {
            let fingerprint = try #require(SPKIFingerprint(pseudoRandom(32, seed: UInt64(seed))))
            let id = PeerID(fingerprint)
            #expect(id.text.utf8.count == 52)
            #expect(PeerID(id.text) == id)
            #expect(PeerID(id.text.uppercased()) == id)
            let message = MessageID(at: Timestamp(milliseconds: Int64(seed) * 1_000_000_000))
            #expect(MessageID(message.text) == message)
            for host in ["127.0.0.1", "example.org", "::1"] {
                let address = PeerAddress(host: host, port: 5000, peerID: id, name: "Zoë & co?/#%")
                #expect(try PeerAddress(parsing: address.description) == address)
            }
        }
        for bad in ["", "x", String(repeating: "a", count: 51), String(repeating: "1", count: 52)] {
            #expect(PeerID(bad) == nil)
        }
        for bad in ["", "0190163D-8694-739B-AEA5-966C26F8AD91", "0190163d86947390aea5966c26f8ad910000"] {
            #expect(MessageID(bad) == nil)
        }
    }
}
