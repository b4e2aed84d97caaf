// Files of tests: made, read, changed and compared.

import CLinux
import Glibc

package enum TestFile {
    package static func write(_ text: String, to path: String) throws {
        try write(Array(text.utf8), to: path)
    }

    package static func write(_ bytes: [UInt8], to path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemFailure("open \(path)") }
        defer { close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw SystemFailure("write \(path)") }
            rest = rest.dropFirst(count)
        }
    }

    /// F_SETLEASE, which <fcntl.h> shows to nobody but _GNU_SOURCE.
    private static let setLease: Int32 = 1024

    /// Writes a program that can be run at once.
    ///
    /// A process that another test starts just now has our descriptor until its own program runs, and what anybody has open for
    /// writing cannot be executed (ETXTBSY). The kernel gives a lease for reading when nobody has (fcntl(2)).
    package static func writeProgram(_ text: String, to path: String) throws {
        try write(text, to: path)
        guard chmod(path, 0o755) == 0 else { throw SystemFailure("chmod \(path)") }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemFailure("open \(path)") }
        defer { close(descriptor) }
        while fcntl(descriptor, setLease, Int32(F_RDLCK)) != 0 {
            guard errno == EAGAIN else { throw SystemFailure("lease \(path)") }
            usleep(1_000)
        }
        guard fcntl(descriptor, setLease, Int32(F_UNLCK)) == 0 else { throw SystemFailure("lease \(path)") }
    }

    /// All bytes; empty when the file cannot be read.
    package static func read(_ path: String) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &part, part.count)
            guard count > 0 else { return bytes }
            bytes += part[..<count]
        }
    }

    package static func text(_ path: String) -> String { String(decoding: read(path), as: UTF8.self) }

    /// Writes `size` bytes that do not repeat and do not compress, the same for the same seed.
    package static func generate(_ path: String, size: Int, seed: UInt64 = 1) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemFailure("open \(path)") }
        defer { close(descriptor) }
        var state = seed
        var block = [UInt64](repeating: 0, count: 131_072)
        var left = size
        while left > 0 {
            for index in block.indices {
                // SplitMix64: cheap, and good enough to look random to a compressor.
                state &+= 0x9E37_79B9_7F4A_7C15
                var mixed = state
                mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
                mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
                block[index] = mixed ^ (mixed >> 31)
            }
            let count = block.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, min(left, $0.count)) }
            guard count > 0 else { throw SystemFailure("write \(path)") }
            left -= count
        }
    }

    /// Bytes; `nil` when there is no such file.
    package static func size(_ path: String) -> Int? {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : nil
    }

    /// The permission bits; `nil` when there is no such file.
    package static func permissions(_ path: String) -> UInt32? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
    }

    /// Names in a folder, sorted.
    package static func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}

extension TestFile {
    /// The folder of the sources that the tests were built from.
    package static let repository = String(#filePath.dropLast("/Tests/TestSupport/TestFile.swift".count))
}
