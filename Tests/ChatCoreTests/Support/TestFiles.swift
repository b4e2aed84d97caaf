// Files with known bytes for the transfer tests.

import BLIPNet
import Glibc

/// `count` bytes that look random; the same seed gives the same ones.
func pseudoRandom(_ count: Int, seed: UInt64) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count + 8) { buffer, filled in
        let raw = UnsafeMutableRawBufferPointer(buffer)
        var state = seed
        var offset = 0
        while offset < count {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            raw.storeBytes(of: state ^ state >> 29, toByteOffset: offset, as: UInt64.self)
            offset += 8
        }
        filled = count
    }
}

struct TestFileError: Error { var path: String; var errno: Int32 }

func writeFile(_ path: String, _ bytes: [UInt8]) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw TestFileError(path: path, errno: errno) }
    defer { close(descriptor) }
    var done = 0
    while done < bytes.count {
        let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress?.advanced(by: done), $0.count - done) }
        guard count > 0 else { throw TestFileError(path: path, errno: errno) }
        done += count
    }
}

func readFile(_ path: String) throws -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw TestFileError(path: path, errno: errno) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while true {
        let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
        guard count >= 0 else { throw TestFileError(path: path, errno: errno) }
        if count == 0 { return bytes }
        bytes += buffer[..<count]
    }
}

func sha256(of path: String) throws -> String { SHA256Digest.hash(try readFile(path)).hex }

/// The names in a folder, sorted; empty when there is none.
func names(in folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
            $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
}

/// Removes a folder and everything in it.
func removeFolder(_ path: String) {
    for name in names(in: path) {
        let item = path + "/" + name
        if unlink(item) != 0 { removeFolder(item) }
    }
    rmdir(path)
}
