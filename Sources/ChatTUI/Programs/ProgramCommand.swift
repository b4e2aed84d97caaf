// Commands of the command line that the screen runs: one program, three faces (PRODUCT, rule 9). ChatTUI does not know
// how; whoever runs the screen gives it a way.

import ChatWords

/// `blipchat` and these words, on the same home.
package struct ProgramCommand: Sendable, Equatable {
    /// Without the program's name: `doctor`, `export`, `Alice`, `-o`, `/home/jo/alice.txt`.
    package var words: [String]

    package init(_ words: [String]) { self.words = words }
}

/// The output of a command.
package struct ProgramOutput: Sendable, Equatable {
    /// Results and errors in the order in which they were printed. Raw: the code that shows them makes SafeText of
    /// them.
    package var lines: [String]
    /// 0: done.
    package var exitCode: Int32

    package init(lines: [String], exitCode: Int32) {
        self.lines = lines
        self.exitCode = exitCode
    }
}

/// Runs a command to its end.
package typealias ProgramRunning = @Sendable (ProgramCommand) async -> ProgramOutput
