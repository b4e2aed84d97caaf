// The messages about programs of the settings that failed.

import ChatCore
import ChatWords

enum ProgramReports {
    /// A program of the settings is not there, or may not be run.
    static func say(notStarted program: String, _ errno: Int32, _ state: inout AppState) {
        state.say(
            "Cannot start \(program): \(Sentences.words(forErrno: errno))\(state.surface.advice(about: program))",
            isError: true)
    }

    /// A program of the settings was started, and has not done its work.
    static func say(failed program: String, _ failure: ProgramFailure, _ state: inout AppState) {
        let end =
            switch failure {
            case .code(let code): "it exited with code \(code)"
            case .signal(let signal): "signal \(signal) killed it"
            }
        let isOpener = CommandLine.words(of: state.surface.settings.openCommand)?.first == program
        state.say(
            "\(program) \(isOpener ? "opened nothing" : "failed"): \(end)\(state.surface.advice(about: program))",
            isError: true)
    }
}
