// Commands that take long say so on standard error: what they do, how far they are where that is known, and for how long.

import ChatHost
import ChatSettings
import Glibc

extension StandardStreams {
    /// Carries out `body`. When it takes longer than two seconds its progress is shown: at a terminal in place, each second;
    /// elsewhere a line now and then.
    func showingLife<Value>(
        _ what: String, _ share: Share = Share(), _ body: () async throws(CommandError) -> Value
    ) async throws(CommandError) -> Value {
        let isTerminal = isatty(diagnostics) == 1 && progressForm != .plain
        let isSilent = progressForm == .none || progressForm == .json
        let start = ContinuousClock.now
        let sign = Task { [streams = self] in
            guard !isSilent else { return }
            var pause = Duration.seconds(2)
            while true {
                do { try await Task.sleep(for: pause) } catch { break }
                let seconds = (ContinuousClock.now - start).components.seconds
                let far = share.value.map { ", \(Int(min(max($0, 0), 1) * 100)) %" } ?? ""
                let text = "\(what)\(far), \(seconds) s"
                if isTerminal { streams.progress(text) } else { streams.note("blipchat: \(text)") }
                pause = isTerminal ? .seconds(1) : .seconds(30)
            }
            if isTerminal, ContinuousClock.now - start > .seconds(2) { streams.progress("") }
        }
        let result: Result<Value, CommandError>
        do throws(CommandError) { result = .success(try await body()) } catch { result = .failure(error) }
        sign.cancel()
        await sign.value
        return try result.get()
    }
}
