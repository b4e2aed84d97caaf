// Requests of one peer that came one after the other and can be stored in one commit. Pure.

/// Collects requests of one kind until another one follows.
struct RequestsTogether {
    enum Group {
        /// Requests that are stored as messages, offers or operations.
        case messages([ReceivedRequest])
        /// Files of ours have come whole.
        case lastNews([ReceivedRequest])
    }

    private var requests: [ReceivedRequest] = []
    /// Which of the two kinds they are.
    private var areLastNews = false

    /// Takes a request to those before it, if it is of a kind that is stored together. Returns those before, which are to be
    /// handled first, where it is of another kind than they are.
    mutating func add(_ request: ReceivedRequest, isLastNews: Bool) -> Group? {
        let isMessage = if case .operation = request.content { true } else { false }
        let isAlike = isMessage ? !areLastNews : isLastNews && areLastNews
        let before = isAlike || requests.isEmpty ? nil : take()
        guard isMessage || isLastNews else { return before }
        areLastNews = isLastNews
        requests.append(request)
        return before
    }

    /// Whether a request is among them, as the last one.
    func has(_ request: ReceivedRequest) -> Bool { requests.last?.number == request.number }

    /// All that was collected; nothing is left.
    mutating func take() -> Group {
        defer { requests = [] }
        return areLastNews ? .lastNews(requests) : .messages(requests)
    }
}
