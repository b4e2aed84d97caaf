// kill -9 at random and at every Nth system call, of the side that sends and of the side that receives.

import Glibc
import TestSupport
import Testing

@Suite("Killed processes", .serialized) struct KillTests {
    private static let cycles = FaultSettings.number("BLIPCHAT_KILL_CYCLES") ?? 60

    /// What kills the process of a cycle.
    private enum Killer: CaseIterable {
        case chance, strace, injector
    }

    @Test("whoever is asked to end while links are made and end ends in order, at whatever moment")
    func ends() async throws {
        let scene = try await KillScene()
        var generator = SeededGenerator(seed: FaultSettings.seed)
        for cycle in 0..<Self.cycles / 3 {
            let processes = [try scene.serveBob(), try scene.serveAlice()]
            for process in processes { try await process.waitUntilListening() }
            // Any moment of their calls to each other will do: none of them is waited for.
            try await Task.sleep(for: .milliseconds(.random(in: 0...250, using: &generator)))
            for process in processes {
                process.signal(SIGTERM)
                try await Task.sleep(for: .milliseconds(.random(in: 0...30, using: &generator)))
            }
            for process in processes {
                let status = try await process.waitForExit()
                let when: Comment = "cycle \(cycle), seed \(FaultSettings.seed): \(process.errorOutput.suffix(1_000))"
                #expect(status == .exited(0), when)
            }
        }
    }

    @Test("whoever is killed at whatever call, nothing acknowledged is lost, nothing is doubled or invented")
    func cycles() async throws {
        let scene = try await KillScene()
        let board = try Injection.Board(in: scene.alice.folder)
        let canTrace = try await Injection.canTrace()
        if !canTrace { print("strace may not trace here: kills come from the preloaded injector alone") }
        var generator = SeededGenerator(seed: FaultSettings.seed)
        var kills = 0
        var injected = 0
        // How many calls of each kind a whole run makes.
        var usual: [Injection.Call: Int] = [:]
        var steady: (isReceiver: Bool, process: ChildProcess)?
        for cycle in 0..<Self.cycles {
            // First the one, then the other, so that the other side can go on running.
            let killsReceiver = cycle < Self.cycles / 2
            let victim = killsReceiver ? scene.bob : scene.alice
            let killer = Killer.allCases[(killsReceiver ? cycle : cycle - Self.cycles / 2) % 3]
            let injection: Injection
            switch killer {
            // Sweeps over the calls of a run, the first ones (start, recovery of the WAL) as well as later ones; strace
            // counts them for each thread.
            case .strace where canTrace: injection = .straceKill(at: Int.random(in: 1...20, using: &generator))
            case .strace, .injector:
                let call = [Injection.Call.write, .write, .sync, .open][Int.random(in: 0..<4, using: &generator)]
                injection = try .preload(
                    call, .kill, at: .random(in: 1...max(1, usual[call] ?? 1), using: &generator), root: victim.path,
                    board: board)
            case .chance where usual.isEmpty || cycle == Self.cycles / 2:
                injection = try .counting(root: victim.path, board: board)
            case .chance: injection = .none
            }
            let when = "cycle \(cycle): \(victim.name), \(injection), seed \(FaultSettings.seed)"
            if steady?.isReceiver != !killsReceiver {
                try await steady?.process.killNow()
                let process = killsReceiver ? try scene.serveAlice() : try scene.serveBob()
                try await process.waitUntilListening()
                steady = (!killsReceiver, process)
            }
            // Every other sender is not an instance that runs but the command itself.
            let isCommand = !killsReceiver && cycle % 2 == 1 && killer != .chance
            let process: ChildProcess?
            if isCommand {
                process = nil
                try await scene.write(3, files: 0, with: injection)
            } else {
                process = killsReceiver ? try scene.serveBob(with: injection) : try scene.serveAlice(with: injection)
                try await eventually("\(when): it listens or is dead", state: { process?.errorOutput ?? "" }) {
                    process?.isListening != false || process?.poll() != nil
                }
                try await scene.write(2, files: cycle % 5 == 0 ? 1 : 0)
            }
            if let process {
                if killer == .chance, injection.description != "counted" {
                    try await Task.sleep(for: .milliseconds(Int.random(in: 0...60, using: &generator)))
                } else {
                    try await eventually(when) { try process.poll() != nil || scene.isDrained }
                }
                if killer != .chance, process.poll() == .signalled(SIGKILL) { injected += 1 }
                if injection.description == "counted" { usual = board.calls }
                try await process.killNow()
                if process.poll() == .signalled(SIGKILL) { kills += 1 }
                if case .exited(let code) = process.poll() {
                    Issue.record("\(when): exit \(code) \(process.errorOutput)")
                }
            } else {
                kills += 1
                injected += 1
            }
            try scene.check(when)
        }
        try await steady?.process.killNow()
        #expect(kills == Self.cycles)
        // Most of the chosen calls are met; the others come later than everything that was to be done.
        #expect(injected * 4 > Self.cycles, "\(injected) of \(Self.cycles)")
        try await scene.finish()
    }
}
