// `blipchat --plain`: the chat as lines on standard input and output, for screen readers, dumb terminals and pipes.

import ChatCore
import ChatSettings
import ChatTUI
import ChatWords
import Dispatch
import Glibc

/// The chat of this home in line mode.
struct PlainChat: Sendable {
    let context: CommandContext

    /// There is no first-run page: a key is made where there is none.
    func run(
        _ paths: HomePaths, _ settings: Configuration, _ target: ScreenTarget
    ) async throws(CommandError) -> ExitCode {
        let (input, source) = AsyncStream<PlainInput>.makeStream()
        let signals = try await TerminationSignals.take { source.yield(.reload) }
        let chat = try await ChatScreen(context: context).open(
            paths, try context.chatConfiguration(settings, paths, listens: true))
        do throws(CommandError) {
            let options = try ChatScreen(context: context).options(
                paths, settings, contact: try await chat.contact(for: target),
                notices: chat.notices + ["Every line you type is sent; /help lists the commands, /quit quits"],
                reconfigure: { await chat.reconfigure($0, paths) })
            let code = await show(chat, options, signals, input, source)
            await chat.close()
            return code
        } catch {
            await chat.close()
            throw error
        }
    }

    @ScreenActor private func show(
        _ chat: OpenChat, _ options: ChatApplicationOptions, _ signals: TerminationSignals,
        _ input: AsyncStream<PlainInput>, _ source: AsyncStream<PlainInput>.Continuation
    ) async -> ExitCode {
        let unicode = TerminalEnvironment.current().unicode && options.settings.glyphs == .unicode
        let outputIsTerminal = isatty(STDOUT_FILENO) == 1
        var ending = ExitCode.hangUp
        let application = PlainApplication(
            service: chat.service, options: options, isInteractive: isatty(STDIN_FILENO) == 1,
            unicode: unicode
        ) { line in
            do throws(CommandError) {
                try context.streams.line(line.terminalString(unicode: unicode))
                return true
            } catch {
                // A terminal that takes nothing has gone.
                if !outputIsTerminal { ending = error.exit }
                return false
            }
        }
        StandardInputLines.read(STDIN_FILENO) { source.yield($0) }
        let watch = Task {
            guard let code = await signals.wait() else { return }
            source.yield(.terminate(signal: code.rawValue - 128))
        }
        let code = await application.run(input)
        watch.cancel()
        await watch.value
        // A chat that continues elsewhere leaves nothing undone.
        if await !chat.goesOn, let farewell = application.farewell { context.streams.note(farewell) }
        return application.isUnread ? ending : ExitCode(rawValue: code) ?? .done
    }
}

/// Reads lines on a thread of its own, so that nothing waits for a person who thinks.
enum StandardInputLines {
    /// Longer lines are cut: more than a message can be, less than memory.
    private static let longestLine = 1 << 20
    /// Lines of a terminal that follow each other faster than this were pasted and belong together.
    private static let pasteMilliseconds: Int32 = 5

    /// Gives every line, then `.end`. The thread lives until then, or until the process ends.
    static func read(_ descriptor: Int32, _ take: @escaping @Sendable (PlainInput) -> Void) {
        DispatchQueue(label: "blipchat.lines").async {
            var lines = DescriptorLines(descriptor: descriptor, limit: longestLine)
            let isTerminal = isatty(descriptor) == 1
            while var line = lines.next() {
                // A paste becomes one message, unless there is a command in it.
                while isTerminal, !isCommand(line) || takesAddress(line), lines.hasMore(within: pasteMilliseconds) {
                    guard let more = lines.next() else { break }
                    if isCommand(more) {
                        take(.line(line))
                        line = more
                    } else {
                        line += "\n" + more
                    }
                }
                take(.line(line))
            }
            take(.end)
        }
    }

    /// A copied address comes in rows.
    private static func takesAddress(_ line: String) -> Bool { line.utf8.starts(with: "/add ".utf8) }

    private static func isCommand(_ line: String) -> Bool { line.utf8.first == UInt8(ascii: "/") }
}

/// Splits what comes from a descriptor into lines. Blocks.
struct DescriptorLines {
    private let descriptor: Int32
    private let limit: Int
    private var buffer: [UInt8] = []
    private var isAtEnd = false

    init(descriptor: Int32, limit: Int) {
        self.descriptor = descriptor
        self.limit = limit
    }

    /// The next line without LF or CR LF; bytes that are not UTF-8 become U+FFFD. `nil` at the end.
    mutating func next() -> String? {
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                defer { buffer.removeFirst(end + 1) }
                return Self.text(buffer[..<end])
            }
            if buffer.count >= limit || (isAtEnd && !buffer.isEmpty) {
                defer { buffer = [] }
                return Self.text(buffer[...])
            }
            guard !isAtEnd else { return nil }
            fill()
        }
    }

    /// Whether a line is there or comes within so many milliseconds.
    func hasMore(within milliseconds: Int32) -> Bool {
        if buffer.contains(UInt8(ascii: "\n")) { return true }
        var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return !isAtEnd && poll(&poller, 1, milliseconds) > 0 && poller.revents & Int16(POLLIN) != 0
    }

    private mutating func fill() {
        var part = [UInt8](repeating: 0, count: 65_536)
        // Input that cannot be read any more has ended.
        let count = (try? SharedDescriptor.read(descriptor, into: &part)) ?? 0
        if count > 0 { buffer += part[..<count] } else { isAtEnd = true }
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes, as: UTF8.self)
    }
}
