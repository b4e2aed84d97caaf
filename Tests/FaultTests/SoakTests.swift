// Everything at once and for long: random cuts, kills, errors and files between two installations (make soak).

import Glibc
import TestSupport
import Testing
import Workbench

@Suite("Soak", .serialized) struct SoakTests {
    private static let minutes = FaultSettings.number("BLIPCHAT_SOAK_MINUTES")

    @Test(
        "whatever happens for so long, nothing is lost, doubled or invented",
        .enabled(if: minutes != nil, "for long: make soak MINUTES=10"))
    func soak() async throws {
        let scene = try await KillScene(isFaulted: true)
        let board = try Injection.Board(in: scene.alice.folder)
        var generator = SeededGenerator(seed: FaultSettings.seed)
        let end = ContinuousClock.now + .seconds(60 * (Self.minutes ?? 0))
        var processes = [try scene.serveAlice(), try scene.serveBob()]
        var (rounds, kills, cuts) = (0, 0, 0)
        while ContinuousClock.now < end {
            rounds += 1
            let when = "round \(rounds), seed \(FaultSettings.seed)"
            // The weather of the network for the next connections.
            let faults = (0..<Int.random(in: 0...2, using: &generator)).map { _ in Fault.random(using: &generator) }
            for proxy in scene.proxies {
                proxy.setPlan { number in
                    var script = FaultScript()
                    // Every third connection is a good one, so that something goes through.
                    if number % 3 != 0 { script.faults = faults }
                    return script
                }
                if Bool.random(using: &generator) {
                    proxy.breakAll()
                    cuts += 1
                }
            }
            try await scene.write(
                .random(in: 0...4, using: &generator), files: Int.random(in: 0...9, using: &generator) / 9)
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...300, using: &generator)))
            // Somebody dies, by chance or at a call, and comes back; perhaps with a disk that fails once.
            for side in [0, 1] where Int.random(in: 0..<3, using: &generator) == 0 || !processes[side].isRunning {
                let home = side == 0 ? scene.alice : scene.bob
                try await processes[side].killNow()
                kills += 1
                let action: Injection.Action? =
                    [.kill, .inputOutput, .noSpace, .short, nil].randomElement(using: &generator) ?? nil
                let injection =
                    try action.map {
                        try Injection.preload(
                            .write, $0, at: .random(in: 1...200, using: &generator), root: home.path, board: board)
                    } ?? .none
                processes[side] =
                    side == 0 ? try scene.serveAlice(with: injection) : try scene.serveBob(with: injection)
                let process = processes[side]
                try await eventually("\(when): it listens or has ended") {
                    process.isListening || process.poll() != nil
                }
            }
            try scene.check(when)
            if rounds % 40 == 0 {
                // Fair weather: everything arrives.
                for proxy in scene.proxies { proxy.setPlan { _ in FaultScript() } }
                for side in [0, 1] where !processes[side].isRunning {
                    processes[side] = side == 0 ? try scene.serveAlice() : try scene.serveBob()
                }
                for proxy in scene.proxies { proxy.breakAll() }
                try await eventually("\(when): everything arrives", state: { scene.unfinished }) {
                    try await scene.resumePaused()
                    return try scene.isDrained
                }
            }
        }
        for process in processes { try await process.killNow() }
        for proxy in scene.proxies { proxy.setPlan { _ in FaultScript() } }
        try await scene.finish()
        print("\(rounds) rounds, \(kills) kills, \(cuts) cuts: nothing lost (seed \(FaultSettings.seed))")
    }
}

extension Fault {
    fileprivate static func random(using generator: inout SeededGenerator) -> Fault {
        let kinds: [Kind] = [
            .cut, .reset, .stall(.milliseconds(Int.random(in: 1...500, using: &generator))), .trickle,
            .corrupt(mask: .random(in: 1...255, using: &generator)),
        ]
        return Fault(
            kinds.randomElement(using: &generator) ?? .cut, Bool.random(using: &generator) ? .up : .down,
            at: .random(in: 0...40_000, using: &generator))
    }
}
