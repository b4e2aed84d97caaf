// Prints the reports of a command.

import BLIPNet
import ChatCore
import ChatHost
import ChatSettings

/// Prints reports in their order, and keeps why that failed. On a thread of its own: whoever reads them may take their time.
actor ReportPrinter {
    private let executor = DispatchQueueExecutor(label: "blipchat.printer")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private let isJSON: Bool
    private let streams: StandardStreams
    /// For people.
    private let print: @Sendable (ChatReport) throws(CommandError) -> Void
    private(set) var failure: CommandError?
    /// The last message that it has printed.
    private(set) var lastMessage: MessageID?

    init(isJSON: Bool, streams: StandardStreams, print: @escaping @Sendable (ChatReport) throws(CommandError) -> Void) {
        self.isJSON = isJSON
        self.streams = streams
        self.print = print
    }

    func take(_ report: ChatReport) {
        guard failure == nil else { return }
        if case .message(let message, _, _) = report, case .text = message.content { lastMessage = message.id }
        do throws(CommandError) {
            guard isJSON else { return try print(report) }
            if let record = report.record { try streams.json(record) }
        } catch {
            failure = error
        }
    }
}
