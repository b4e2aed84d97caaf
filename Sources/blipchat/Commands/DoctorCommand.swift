// `blipchat doctor`: examines a home, explains, and puts right what it is asked to.

import Arguments
import ChatCore
import ChatHost
import ChatSettings
import ChatWords
import Storage

struct DoctorCommand: Command {
    let context: CommandContext

    func run() async throws(CommandError) -> ExitCode {
        let paths = try context.paths()
        if context.arguments.has("--recover") || context.arguments.has("--fix") {
            try HomeOwnership.check(paths, onlyOwner: true)
        }
        if context.arguments.has("--recover") { try await recover(paths) }
        if context.arguments.has("--fix") { try await fix(paths) }
        var examination = Examination(paths: paths, home: context.environment["HOME"])
        await examination.run()
        if context.streams.isAtTerminal { await examination.checkTerminal() }
        for finding in examination.findings { try print(finding) }
        let errors = examination.findings.filter { $0.verdict == .error }
        // A broken history is worse than rights, and rights are worse than settings.
        for code in [ExitCode.store, .localIO, .usage] where errors.contains(where: { $0.exit == code }) { return code }
        return .done
    }

    private func print(_ finding: Finding) throws(CommandError) {
        guard !context.isJSON else { return try context.streams.json(finding.record) }
        let word =
            switch finding.verdict {
            case .ok: "ok     "
            case .warning: "LOOK   "
            case .error: "BROKEN "
            }
        try context.streams.line("\(word) \(finding.check): \(SafeText.line(finding.text))")
        if let advice = finding.advice { try context.streams.line("        \(SafeText.line(advice))") }
    }

    /// Saves what can be read of a history that is damaged; leaves a sound one alone.
    private func recover(_ paths: HomePaths) async throws(CommandError) {
        guard SmallFile.exists(paths.history) else { return }
        try await paths.alone { () throws(CommandError) in
            let findings = await HistoryInspection.run(at: paths.history, isInUse: false)
            if let version = findings.first(where: { $0.kind == .version && $0.verdict == .error }) {
                throw CommandError(.store, "history", version.text)
            }
            guard findings.contains(where: { $0.kind == .integrity && $0.verdict == .error }) else {
                if findings.contains(where: { $0.kind == .values && $0.verdict == .error }) {
                    throw CommandError(
                        .store, "history", "the file is sound, but some rows cannot be read",
                        advice: "doctor --fix puts readable values there")
                }
                return context.streams.note("blipchat: the history is not damaged; there is nothing to recover")
            }
            let (kept, summary) = try await HistoryFile.about(paths) { () throws(StoreError) in
                try await HistoryRecovery.recover(at: paths.history)
            }
            let messages = summary.messages.counted("message")
            var sentence = "blipchat: saved \(messages) of \(summary.contacts.counted("contact"))"
            if summary.namelessContacts > 0 {
                sentence += " (\(summary.namelessContacts) of them have lost their names: \"recovered N\")"
            }
            if summary.unreadablePages > 0 {
                sentence += "; \(summary.unreadablePages.counted("page")) could not be read"
            }
            context.streams.note(sentence)
            if let kept { context.streams.note("blipchat: the damaged history is kept as \(kept)") }
        }
    }

    private func fix(_ paths: HomePaths) async throws(CommandError) {
        for failure in PrivatePlaces.fix(paths) { context.streams.note("blipchat: \(failure)") }
        guard SmallFile.exists(paths.history) else { return }
        try await paths.alone { () throws(CommandError) in
            ReceiveFolder.removeEmpty(in: paths.data)
            let findings = await HistoryInspection.run(at: paths.history, isInUse: false)
            let repairable = findings.filter(\.isRepairable)
            guard !repairable.isEmpty else { return }
            for finding in repairable { context.streams.note("blipchat: repairing: \(SafeText.line(finding.text))") }
            try await HistoryFile.about(paths) { () throws(StoreError) in
                try await HistoryInspection.repair(at: paths.history)
            }
        }
    }
}
