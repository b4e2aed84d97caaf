// One call of a WebSocket client through its redirects and challenges: which request comes next. Pure; the connections
// are made by `WebSocketChannel.connect`, a new one for each request.

/// The state of a call between two connections.
struct WebSocketCall: Sendable {
    /// Where the next request goes.
    private(set) var url: WebSocketURL
    /// The caller's fields that the next request carries.
    private(set) var fields: HTTPFields
    private(set) var redirects = 0
    private let maxRedirects: Int
    /// The one retry with credentials is used up for this URL.
    private var hasAnswered = false
    /// Nobody tells this server who we are: it was named by another one.
    private(set) var isAwayFromHome = false
    /// The answer to the server's challenge.
    private(set) var authorization: String?

    init(_ request: WebSocketRequest) {
        url = request.url
        fields = request.fields
        maxRedirects = request.maxRedirects
    }

    /// The next step after an answer other than 101.
    enum Step: Equatable {
        /// Call again, as this value says now.
        case again
        /// Find out the credentials and give them to `answer`; with none, the call has failed.
        case authenticate(HTTPChallenge)
    }

    /// Takes the answer of the server.
    mutating func take(_ response: HTTPResponseHead) throws(WebSocketError) -> Step {
        if HTTPRedirect.isRedirect(response.status), maxRedirects > 0 {
            try follow(response)
            return .again
        }
        guard !hasAnswered, !isAwayFromHome,
            let challenge = HTTPAuthentication.chosenChallenge(in: response, of: .server)
        else { throw .refused(response) }
        return .authenticate(challenge)
    }

    private mutating func follow(_ response: HTTPResponseHead) throws(WebSocketError) {
        guard redirects < maxRedirects else { throw .tooManyRedirects }
        redirects += 1
        do throws(HTTPRedirect.Refusal) {
            let redirect = try HTTPRedirect.judge(response, from: url)
            url = redirect.url
            // An answer holds for one target, and each target may ask once.
            authorization = nil
            hasAnswered = false
            if redirect.leavesOrigin {
                isAwayFromHome = true
                fields = fields.withoutCredentials()
            }
        } catch {
            throw .redirectRefused(location: response.fields.single("Location") ?? "", reason: error.reason)
        }
    }

    /// Prepares the retry with credentials; `false` when they cannot answer the challenge.
    mutating func answer(_ challenge: HTTPChallenge, with credentials: HTTPCredentials, random: RandomSource) -> Bool {
        hasAnswered = true
        authorization = HTTPAuthentication.answer(
            to: challenge, with: credentials, method: "GET", target: url.target, random: random)
        return authorization != nil
    }

    /// The fields of the next request: those of the caller, and our answer in place of its `Authorization`.
    var requestFields: HTTPFields {
        guard let authorization else { return fields }
        return fields.replacing(HTTPAuthenticator.server.answerField, with: authorization)
    }
}
