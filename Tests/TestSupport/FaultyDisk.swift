// A disk that fails on command, under the real SQLite: for what happens when writes and syncs do not work.

internal import CSQLite
internal import Synchronization

/// Wraps SQLite's own file layer (https://www.sqlite.org/vfs.html) for the whole process: every file behaves as it is,
/// unless a fault was set for its path.
package final class FaultyDisk: Sendable {
    package enum Call: Sendable {
        case write, sync
    }

    /// Result codes of SQLite (https://www.sqlite.org/rescode.html).
    package static let full: Int32 = SQLITE_FULL
    package static let ioErrorOnSync: Int32 = SQLITE_IOERR | 4 << 8
    package static let ioErrorOnWrite: Int32 = SQLITE_IOERR | 3 << 8

    private struct Fault {
        var path: String
        var call: Call
        var code: Int32
        var passing: Int
        var failing: Int
        /// The bytes are written all the same: the error is about the disk, not about what is in the file.
        var isLate: Bool
        var hits = 0
    }

    private struct State {
        /// SQLite's method tables, and ours that stand in their place.
        var originals: [UInt: UInt] = [:]
        var copies: [UInt: UInt] = [:]
        var paths: [UInt: String] = [:]
        var faults: [Fault] = []
    }

    private let state = Mutex(State())

    private init() {}

    /// The disk of this process; put in place at the first use, before the databases that it shall disturb are opened.
    package static let shared: FaultyDisk = {
        let disk = FaultyDisk()
        install()
        return disk
    }()

    /// From now on, calls on files whose path begins with `path` fail with `code`: the first `passing` go through, then
    /// `failing` fail. `isLate`: a write or sync that fails has been done nevertheless.
    package func fail(
        _ call: Call, of path: String, with code: Int32, passing: Int = 0, failing: Int = .max, isLate: Bool = false
    ) {
        state.withLock {
            $0.faults.append(
                Fault(path: path, call: call, code: code, passing: passing, failing: failing, isLate: isLate))
        }
    }

    /// The files below `path` work again.
    package func heal(_ path: String) {
        state.withLock { state in state.faults.removeAll { $0.path == path } }
    }

    /// How many calls have failed since the faults for `path` were set.
    package func failures(of path: String) -> Int {
        state.withLock { state in state.faults.filter { $0.path == path }.reduce(0) { $0 + $1.hits } }
    }

    // MARK: Between SQLite and the files

    private static func install() {
        guard let original = sqlite3_vfs_find(nil) else { return }
        originalVFS = original
        let copy = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        copy.initialize(to: original.pointee)
        copy.pointee.pNext = nil
        copy.pointee.zName = UnsafePointer(name)
        copy.pointee.xOpen = { vfs, path, file, flags, outFlags in
            guard let open = FaultyDisk.originalVFS?.pointee.xOpen else { return SQLITE_ERROR }
            let code = open(vfs, path, file, flags, outFlags)
            if code == SQLITE_OK, let file, let path { FaultyDisk.shared.opened(file, String(cString: path)) }
            return code
        }
        sqlite3_vfs_register(copy, 1)
    }

    nonisolated(unsafe) private static var originalVFS: UnsafeMutablePointer<sqlite3_vfs>?
    nonisolated(unsafe) private static let name: UnsafeMutablePointer<CChar> = {
        let text = Array("faulty".utf8CString)
        let name = UnsafeMutablePointer<CChar>.allocate(capacity: text.count)
        name.initialize(from: text, count: text.count)
        return name
    }()

    private func opened(_ file: UnsafeMutablePointer<sqlite3_file>, _ path: String) {
        guard let methods = file.pointee.pMethods else { return }
        let copy = state.withLock { state -> UInt in
            state.paths[UInt(bitPattern: file)] = path
            let key = UInt(bitPattern: methods)
            if let copy = state.copies[key] { return copy }
            let copy = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
            copy.initialize(to: methods.pointee)
            copy.pointee.xWrite = { file, bytes, count, offset in
                FaultyDisk.shared.perform(.write, file) { $0.xWrite?(file, bytes, count, offset) ?? SQLITE_ERROR }
            }
            copy.pointee.xSync = { file, flags in
                FaultyDisk.shared.perform(.sync, file) { $0.xSync?(file, flags) ?? SQLITE_ERROR }
            }
            copy.pointee.xClose = { file in FaultyDisk.shared.close(file) }
            let address = UInt(bitPattern: copy)
            state.copies[key] = address
            state.originals[address] = key
            return address
        }
        file.pointee.pMethods = UnsafePointer(bitPattern: copy)
    }

    private func methods(of file: UnsafeMutablePointer<sqlite3_file>) -> sqlite3_io_methods? {
        let original = state.withLock { $0.originals[UInt(bitPattern: file.pointee.pMethods)] }
        return original.flatMap { UnsafePointer<sqlite3_io_methods>(bitPattern: $0)?.pointee }
    }

    private func perform(
        _ call: Call, _ file: UnsafeMutablePointer<sqlite3_file>?, _ work: (sqlite3_io_methods) -> Int32
    ) -> Int32 {
        guard let file, let methods = methods(of: file) else { return SQLITE_ERROR }
        let fault = state.withLock { state -> Fault? in
            guard let path = state.paths[UInt(bitPattern: file)],
                let index = state.faults.firstIndex(where: { $0.call == call && path.hasPrefix($0.path) })
            else { return nil }
            if state.faults[index].passing > 0 {
                state.faults[index].passing -= 1
                return nil
            }
            guard state.faults[index].failing > 0 else { return nil }
            state.faults[index].failing -= 1
            state.faults[index].hits += 1
            return state.faults[index]
        }
        guard let fault else { return work(methods) }
        if fault.isLate { _ = work(methods) }
        return fault.code
    }

    private func close(_ file: UnsafeMutablePointer<sqlite3_file>?) -> Int32 {
        guard let file, let methods = methods(of: file) else { return SQLITE_ERROR }
        state.withLock { $0.paths[UInt(bitPattern: file)] = nil }
        return methods.xClose?(file) ?? SQLITE_ERROR
    }
}
