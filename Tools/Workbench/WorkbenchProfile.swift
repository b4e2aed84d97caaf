// The names of the workbench's profiles and what each takes and answers (PROTOCOL 5).

/// The requests that a workbench answers.
package enum WorkbenchProfile: String, Sendable, CaseIterable {
    case echo, sink, discard, source, error, reverse
    case noReplyCount = "noreply-count"
    case sleep, rusage

    /// For the help text.
    package var summary: String {
        switch self {
        case .echo: "all properties but Profile and the body come back; Compress-Reply: 1 compresses the reply"
        case .sink: "reads the body, replies {\"length\":N,\"sha256\":\"hex\"}"
        case .discard: "reads the body, replies its decimal length"
        case .source: "Size, Seed (0), Kind = rand|text|zero (rand): replies that many bytes"
        case .error: "Domain (BLIP), Code (599): error reply with the body as text"
        case .reverse: "Count (1), Size (0), Urgent, Compressed (1 means yes): sends that many echo requests back"
        case .noReplyCount: "how many no-reply requests this connection has sent here"
        case .sleep: "Millis (0): replies after so long"
        case .rusage: "replies {\"user\":s,\"sys\":s,\"maxrss_mb\":m} of this process"
        }
    }
}
