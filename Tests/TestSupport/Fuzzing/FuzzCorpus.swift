// Fuzz/Corpus: what the fuzzer has learned, a folder for each target. Tests replay it: findings of the past stay mended.

import Dispatch
import Glibc

/// The kept inputs of one target.
package struct FuzzCorpus: Sendable {
    package let target: FuzzTarget
    private let folder: String

    package init(of target: FuzzTarget) {
        self.target = target
        folder =
            String(#filePath.dropLast("Tests/TestSupport/Fuzzing/FuzzCorpus.swift".count)) + "Fuzz/Corpus/"
            + target.name
    }

    /// Runs every kept input, and says of each what did not hold; empty when all is well. Tests may be debug builds or
    /// have sanitizers, so an input may take a hundred times what its target allows.
    ///
    /// Runs on a thread of its own: targets that drive actors wait for these, and the pool must stay free for them.
    package func faults() async throws -> [String] {
        let result: Result<[String], any Error> = await withCheckedContinuation { continuation in
            DispatchQueue(label: "fuzz corpus").async {
                continuation.resume(returning: Result { try faultsFound() })
            }
        }
        return try result.get()
    }

    private func faultsFound() throws -> [String] {
        let files = try inputs()
        guard !files.isEmpty else { return ["\(folder) holds no input"] }
        return files.compactMap { file in
            do {
                let input = try contents(of: "\(folder)/\(file)")
                let cost = try input.withUnsafeBytes { try target.timed($0) }
                return cost < target.limit * 100 ? nil : "\(target.name)/\(file) takes \(cost)"
            } catch {
                return "\(target.name)/\(file): \(error)"
            }
        }
    }

    private func inputs() throws -> [String] {
        guard let stream = opendir(folder) else { throw SystemFailure("opendir \(folder)") }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    private func contents(of path: String) throws -> [UInt8] {
        guard let file = fopen(path, "rb") else { throw SystemFailure("fopen \(path)") }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&buffer, 1, buffer.count, file)
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
        }
    }
}
