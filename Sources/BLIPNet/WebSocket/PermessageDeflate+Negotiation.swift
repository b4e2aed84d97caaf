// How permessage-deflate is agreed on in the handshake (RFC 7692 sections 5 and 7.1): offers, the server's choice
// among them, and the client's judgement of the answer.

extension PermessageDeflate {
    static let extensionName = "permessage-deflate"

    /// The four parameters of an offer or an answer. A parameter that it does not name is `nil` or `false`.
    struct Parameters: Equatable, Sendable {
        var serverNoContextTakeover = false
        var clientNoContextTakeover = false
        var serverMaxWindowBits: Int?
        var clientMaxWindowBits: ClientWindow?

        /// A client may name the parameter without a value in an offer: "tell me if you want one".
        enum ClientWindow: Equatable, Sendable {
            case anything
            case bits(Int)

            var atMost: Int {
                switch self {
                case .anything: 15
                case .bits(let bits): bits
                }
            }
        }

        init() {}

        /// Reads an offer or an answer; `nil` for a parameter that is unknown, comes twice or has a wrong value.
        init?(_ element: WebSocketExtension) {
            var seen: Set<String> = []
            for parameter in element.parameters {
                guard seen.insert(parameter.name).inserted else { return nil }
                switch (parameter.name, parameter.value) {
                case ("server_no_context_takeover", nil): serverNoContextTakeover = true
                case ("client_no_context_takeover", nil): clientNoContextTakeover = true
                case ("client_max_window_bits", nil): clientMaxWindowBits = .anything
                case ("server_max_window_bits", let value?):
                    guard let bits = Self.windowBits(value) else { return nil }
                    serverMaxWindowBits = bits
                case ("client_max_window_bits", let value?):
                    guard let bits = Self.windowBits(value) else { return nil }
                    clientMaxWindowBits = .bits(bits)
                default: return nil
                }
            }
        }

        /// 8 to 15 in decimal digits, without zeros in front.
        private static func windowBits(_ text: String) -> Int? {
            (8...15).first { HTTPSyntax.equal(String($0), text) }
        }

        var element: WebSocketExtension {
            var element = WebSocketExtension(name: PermessageDeflate.extensionName)
            func add(_ name: String, _ value: Int? = nil) {
                element.parameters.append(WebSocketExtension.Parameter(name: name, value: value.map(String.init)))
            }
            if serverNoContextTakeover { add("server_no_context_takeover") }
            if clientNoContextTakeover { add("client_no_context_takeover") }
            if let serverMaxWindowBits { add("server_max_window_bits", serverMaxWindowBits) }
            switch clientMaxWindowBits {
            case .anything: add("client_max_window_bits")
            case .bits(let bits): add("client_max_window_bits", bits)
            case nil: break
            }
            return element
        }
    }

    // MARK: Client

    /// The offer that a client sends for these wishes.
    var offer: Parameters {
        var offer = Parameters()
        offer.serverNoContextTakeover = serverNoContextTakeover
        offer.clientNoContextTakeover = clientNoContextTakeover
        offer.serverMaxWindowBits = serverMaxWindowBits < 15 ? serverMaxWindowBits : nil
        offer.clientMaxWindowBits = clientMaxWindowBits < 15 ? .bits(clientMaxWindowBits) : .anything
        return offer
    }

    /// The terms agreed on when a server answers this offer with `answer`; `nil` when no server may answer it so.
    func agreement(withAnswer answer: Parameters) -> PermessageDeflate? {
        if serverNoContextTakeover, !answer.serverNoContextTakeover { return nil }
        if serverMaxWindowBits < 15, answer.serverMaxWindowBits ?? 15 > serverMaxWindowBits { return nil }
        var agreed = self
        agreed.serverNoContextTakeover = answer.serverNoContextTakeover
        agreed.clientNoContextTakeover = clientNoContextTakeover || answer.clientNoContextTakeover
        agreed.serverMaxWindowBits = answer.serverMaxWindowBits ?? 15
        switch answer.clientMaxWindowBits {
        case .bits(let bits):
            guard bits <= clientMaxWindowBits else { return nil }
            agreed.clientMaxWindowBits = bits
        case .anything: return nil
        case nil: break
        }
        return agreed
    }

    /// The terms that follow from the answer to a client's offers, the preferred one first: `nil` when the server wants
    /// no compression. Anything that was not offered ends the handshake.
    static func agree(
        offers: [PermessageDeflate], answer fields: HTTPFields
    ) throws(HTTPHeadError) -> PermessageDeflate? {
        let chosen = try WebSocketExtension.parse(fields)
        guard let element = chosen.first else { return nil }
        guard chosen.count == 1, HTTPSyntax.equal(element.name, extensionName), !offers.isEmpty else {
            throw .malformed("an extension that was not offered")
        }
        guard let answer = Parameters(element) else { throw .malformed("wrong parameters of permessage-deflate") }
        for offer in offers {
            if let agreed = offer.agreement(withAnswer: answer) { return agreed }
        }
        throw .malformed("parameters of permessage-deflate that were not offered")
    }

    // MARK: Server

    /// A server's answer to an offer, within what these options allow. Every offer with correct parameters can be met.
    func answer(to offer: Parameters) -> Parameters {
        var answer = Parameters()
        answer.serverNoContextTakeover = serverNoContextTakeover || offer.serverNoContextTakeover
        answer.clientNoContextTakeover = clientNoContextTakeover || offer.clientNoContextTakeover
        let serverBits = min(serverMaxWindowBits, offer.serverMaxWindowBits ?? 15)
        if serverBits < 15 || offer.serverMaxWindowBits != nil { answer.serverMaxWindowBits = serverBits }
        // A client that does not name the parameter does not know it.
        if let window = offer.clientMaxWindowBits {
            let bits = min(clientMaxWindowBits, window.atMost)
            if bits < 15 { answer.clientMaxWindowBits = .bits(bits) }
        }
        return answer
    }

    /// The server's choice: the first offer that is correct. Others are declined (section 7.1), which is no error.
    func choose(among offered: [WebSocketExtension]) -> (answer: Parameters, agreed: PermessageDeflate)? {
        for element in offered where HTTPSyntax.equal(element.name, Self.extensionName) {
            guard let offer = Parameters(element) else { continue }
            let answer = answer(to: offer)
            var agreed = self
            agreed.serverNoContextTakeover = answer.serverNoContextTakeover
            agreed.clientNoContextTakeover = answer.clientNoContextTakeover
            agreed.serverMaxWindowBits = answer.serverMaxWindowBits ?? 15
            agreed.clientMaxWindowBits = answer.clientMaxWindowBits?.atMost ?? 15
            return (answer, agreed)
        }
        return nil
    }
}
