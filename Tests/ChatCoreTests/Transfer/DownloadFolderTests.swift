// The folder of received files: no link is followed, nothing is overwritten, with the kernel's calls and without them.

import CLinux
import Glibc
import Testing

@testable import ChatCore

@Suite("The downloads folder") struct DownloadFolderTests {
    private static let all: [FolderCalls] = [.kernel, .portable, .plain]

    /// The error number that `body` ends with; `nil` when it succeeds.
    private func errnoOf(_ body: () throws -> Void) throws -> Int32? {
        do {
            try body()
            return nil
        } catch let error as FileError {
            return error.errno
        }
    }

    private func write(_ bytes: [UInt8], to file: OpenFile) throws {
        try bytes.withUnsafeBytes { (buffer: UnsafeRawBufferPointer) throws -> Void in try file.write(buffer, at: 0) }
    }

    @Test("a partial file is new, empty and ours alone", arguments: all)
    func createPartial(calls: FolderCalls) throws {
        let cage = try Cage()
        let folder = try DownloadFolder(path: cage.downloads, calls: calls)
        // A mask that would allow everything must not matter; neither must an older file.
        let mask = umask(0)
        defer { umask(mask) }
        try writeFile(folder.path(of: ".p"), [1, 2, 3])
        let file = try folder.createPartial(".p")
        let facts = try file.facts()
        #expect(facts.size == 0 && facts.isRegular && facts.linkCount == 1)
        var status = stat()
        #expect(lstat(folder.path(of: ".p"), &status) == 0 && status.st_mode == S_IFREG | 0o600)
    }

    @Test("a link in the place of a partial or finished file is never opened or written through", arguments: all)
    func links(calls: FolderCalls) throws {
        let cage = try Cage()
        let before = try TreeSnapshot(cage.root, except: cage.downloads)
        let folder = try DownloadFolder(path: cage.downloads, calls: calls)
        for target in [cage.root + "/outside/canary", cage.root + "/outside/new", "../canary", ".", "/proc/self/exe"] {
            let link = folder.path(of: ".p")
            #expect(symlink(target, link) == 0)
            #expect(try folder.openPartial(".p") == nil)
            #expect(try folder.openFinished(".p") == nil)
            let file = try folder.createPartial(".p")
            try write([7, 7, 7], to: file)
            #expect(try folder.holds(file, as: ".p"))
            unlink(link)
            #expect(try folder.holds(file, as: ".p") == false)
        }
        #expect(try TreeSnapshot(cage.root, except: cage.downloads).differences(from: before) == [])
    }

    @Test("a second name of somebody's file is not taken for a partial file of ours", arguments: all)
    func hardLink(calls: FolderCalls) throws {
        let cage = try Cage()
        let folder = try DownloadFolder(path: cage.downloads, calls: calls)
        #expect(link(cage.root + "/outside/canary", folder.path(of: ".p")) == 0)
        #expect(try folder.openPartial(".p") == nil)
        #expect(mkfifo(folder.path(of: ".fifo"), 0o600) == 0)
        #expect(try folder.openPartial(".fifo") == nil, "and a pipe neither holds us up nor is one")
    }

    @Test("renaming replaces nothing, whatever has the name", arguments: all)
    func neverReplaces(calls: FolderCalls) throws {
        let cage = try Cage()
        let folder = try DownloadFolder(path: cage.downloads, calls: calls)
        let names = ["file", "link", "dangling", "folder"]
        try writeFile(folder.path(of: "file"), [1])
        #expect(symlink(cage.root + "/outside/canary", folder.path(of: "link")) == 0)
        #expect(symlink("nowhere", folder.path(of: "dangling")) == 0)
        #expect(mkdir(folder.path(of: "folder"), 0o700) == 0)
        let file = try folder.createPartial(".p")
        let before = try TreeSnapshot(cage.root)
        for name in names { #expect(try folder.rename(".p", to: name) == false, "\(name)") }
        #expect(try TreeSnapshot(cage.root).differences(from: before) == [])
        #expect(try folder.rename(".p", to: "new"))
        #expect(try folder.holds(file, as: "new"))
        #expect(try folder.contains(".p") == false)
        #expect(try file.facts().linkCount == 1)
    }

    @Test("the kernel itself refuses to leave the folder and to follow a link, whatever it is asked to open")
    func kernel() throws {
        let cage = try Cage()
        #expect(mkdir(cage.downloads + "/sub", 0o700) == 0)
        #expect(symlink(cage.root + "/outside", cage.downloads + "/link") == 0)
        #expect(symlink("sub", cage.downloads + "/inside") == 0)
        let folder = open(cage.downloads, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(folder) }
        let magic = "/proc/self/fd/\(folder)"
        #expect(symlink(magic, cage.downloads + "/magic") == 0)
        for path in [
            "../canary", "sub/../../canary", cage.root + "/canary", "link/canary", "inside/x", "magic/sub/x", magic,
        ] {
            for (flags, mode) in [(O_RDONLY, 0), (O_WRONLY | O_CREAT, 0o600)] as [(Int32, UInt64)] {
                let opened = clinux_open_beneath(folder, path, UInt64(flags), mode)
                let code = errno
                #expect(opened < 0 && [EXDEV, ELOOP, ENOSYS, EPERM].contains(code), "\(path): \(code)")
                if opened >= 0 { close(opened) }
            }
        }
    }

    @Test("a path in the place of a name is refused by every call", arguments: all)
    func onlyNames(calls: FolderCalls) throws {
        let cage = try Cage()
        let before = try TreeSnapshot(cage.root)
        let folder = try DownloadFolder(path: cage.downloads, calls: calls)
        // The last two: with a mark behind it "/" is no Character of its own, but still the byte that ends a name.
        let names = [
            "../x", "/etc/passwd", "..", ".", "", "a/b", "a\u{0}b", String(repeating: "x", count: 256), "../\u{301}x",
            "a/\u{301}b",
        ]
        for name in names {
            #expect(try errnoOf { _ = try folder.createPartial(name) } == EINVAL, "\(name)")
            #expect(try errnoOf { _ = try folder.openPartial(name) } == EINVAL, "\(name)")
            #expect(try errnoOf { _ = try folder.contains(name) } == EINVAL, "\(name)")
            #expect(try errnoOf { try folder.remove(name) } == EINVAL, "\(name)")
            #expect(try errnoOf { _ = try folder.createFolder(name) } == EINVAL, "\(name)")
            #expect(try errnoOf { _ = try folder.rename(".p", to: name) } == EINVAL, "\(name)")
            #expect(try errnoOf { _ = try folder.rename(name, to: "p") } == EINVAL, "\(name)")
        }
        #expect(try TreeSnapshot(cage.root).differences(from: before) == [])
    }

    @Test("a link anywhere on the way to the folder is refused, and nothing is made behind it")
    func linkOnTheWay() throws {
        let cage = try Cage()
        #expect(symlink(cage.root + "/outside", cage.root + "/home/bob/link") == 0)
        let before = try TreeSnapshot(cage.root)
        for path in ["/home/bob/link", "/home/bob/link/new", "/home/bob/link/new/er"] {
            #expect(try errnoOf { _ = try DownloadFolder(path: cage.root + path) } == ELOOP)
        }
        #expect(try errnoOf { _ = try DownloadFolder(path: "relative") } == EINVAL)
        #expect(try errnoOf { _ = try DownloadFolder(path: cage.root + "/../x") } == EINVAL)
        #expect(try errnoOf { _ = try DownloadFolder(path: cage.root + "/x/y") } == ENOTDIR)
        #expect(try TreeSnapshot(cage.root).differences(from: before) == [])
        #expect(try errnoOf { _ = try OpenFile.forReading(cage.root + "/home/bob/link/canary") } == ELOOP)
    }

    @Test("links that our user has in the path are resolved once, what is missing is made for us alone")
    func resolved() throws {
        let cage = try Cage()
        #expect(symlink(cage.root + "/outside", cage.root + "/home/bob/link") == 0)
        let path = try DownloadFolder.resolved(cage.root + "/home/./bob/link/new/er")
        #expect(path == cage.root + "/outside/new/er")
        _ = try DownloadFolder(path: path)
        var status = stat()
        #expect(lstat(path, &status) == 0 && status.st_mode & 0o7777 == 0o700)
        #expect(try DownloadFolder.resolved("/") == "/")
        #expect(try DownloadFolder.resolved("/nowhere/x") == "/nowhere/x")
        #expect(try errnoOf { _ = try DownloadFolder.resolved("relative") } == EINVAL)
    }
}
