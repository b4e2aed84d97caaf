// Replays what the fuzzer has learned (Fuzz/Corpus) through the same targets: findings of the past stay mended.

import FoundationEssentials
import Testing

@testable import BLIPNet

@Suite("Fuzz corpora") struct FuzzCorpusTests {
    private static let folder =
        String(#filePath.dropLast("Tests/BLIPNetTests/FuzzCorpusTests.swift".count)) + "Fuzz/Corpus"

    /// 100 ms of processor time is what an input may take in a release build; this one may be a debug build, or one
    /// with sanitizers.
    private static let timeLimit = Duration.seconds(10)

    @Test("there is a corpus for every target and a target for every corpus")
    func complete() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.folder)
        #expect(Set(folders) == Set(FuzzTarget.all.map(\.name)))
        #expect(FuzzTarget.all.count == Set(FuzzTarget.all.map(\.name)).count)
    }

    @Test("hold what the targets promise", arguments: FuzzTarget.all.map(\.name))
    func replay(name: String) throws {
        let target = try #require(FuzzTarget.named(name))
        let folder = Self.folder + "/" + name
        let files = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        #expect(!files.isEmpty)
        for file in files {
            let input = try #require(FileManager.default.contents(atPath: folder + "/" + file))
            do {
                let cost = try input.withUnsafeBytes { try target.timed($0) }
                #expect(cost < Self.timeLimit, "\(name)/\(file) takes \(cost)")
            } catch {
                Issue.record("\(name)/\(file): \(error)")
            }
        }
    }

    @Test("say what does not hold")
    func finding() {
        #expect(throws: FuzzFinding.self) { try require(false, "a promise") }
    }
}
