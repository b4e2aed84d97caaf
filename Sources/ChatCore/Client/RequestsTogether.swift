// Requests of one peer that came one behind the other and can be stored in one commit. Pure.

/// Collects requests of one kind until another one follows.
struct RequestsTogether {
    enum Group {
        /// What is stored as a message, an offer or an operation.
        case messages([ReceivedRequest])
        /// Files of ours have come whole.
        case lastNews([ReceivedRequest])
    }

    private var group = Group.messages([])

    /// Takes a request to those before it, if it is of a kind that is stored together. Returns those before, which are to be
    /// handled first, where it is of another kind than they are.
    mutating func add(_ request: ReceivedRequest, isLastNews: Bool) -> Group? {
        switch (request.content, group) {
        case (.operation, .messages(let before)):
            group = .messages(before + [request])
            return nil
        case (.fileStatus, .lastNews(let before)) where isLastNews:
            group = .lastNews(before + [request])
            return nil
        default: break
        }
        let before = take()
        if case .operation = request.content { group = .messages([request]) }
        if isLastNews { group = .lastNews([request]) }
        return before
    }

    /// Whether a request is among them, as the last one.
    func has(_ request: ReceivedRequest) -> Bool { requests.last?.number == request.number }

    /// All that was collected; nothing is left.
    mutating func take() -> Group {
        defer { group = .messages([]) }
        return group
    }

    private var requests: [ReceivedRequest] {
        switch group {
        case .messages(let requests), .lastNews(let requests): requests
        }
    }
}
