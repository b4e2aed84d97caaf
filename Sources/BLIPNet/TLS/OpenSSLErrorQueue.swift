// OpenSSL keeps its errors in a queue per thread. Sessions share threads, so each call clears the queue first and
// takes its own errors out afterwards.

internal import COpenSSL

enum OpenSSLErrorQueue {
    /// Forgets the errors that earlier calls on this thread left.
    static func clear() { ERR_clear_error() }

    /// Empties the queue and returns the reasons in it, the first cause first, in OpenSSL's words.
    static func drain() -> String {
        var reasons: [String] = []
        while true {
            let code = ERR_get_error()
            guard code != 0 else { break }
            let reason = ERR_reason_error_string(code).map { String(cString: $0) } ?? "error \(code)"
            if reasons.last != reason { reasons.append(reason) }
        }
        return reasons.isEmpty ? "no reason given" : reasons.joined(separator: "; ")
    }

    /// The error for a call that failed for no fault of the peer.
    static func failure(of call: String) -> TLSError { .libraryFailed(call: call, reason: drain()) }
}
