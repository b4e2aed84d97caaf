// `hello`: the first request in both directions of a link, and its reply.

import BLIPNet

/// The caller's introduction. The key is known from TLS already; this adds what TLS does not say.
struct HelloRequest: WireRequest {
    static let profile = ChatProfile.hello

    /// The caller's name for themselves: untrusted text of at most 64 bytes.
    var name: String
    /// Program and version, for `/whois`.
    var client: String
    /// The port at which the caller listens for calls; `nil` when it does not.
    var listenPort: UInt16?
    var features: [String]
    /// How the caller can be reached; `nil`: they say nothing of it.
    var routes: [Route]?
    /// The proof that we have invited the caller.
    var proof: [UInt8]?

    init(name: String, client: String, listenPort: UInt16?, features: [String] = []) {
        self.name = name
        self.client = client
        self.listenPort = listenPort
        self.features = features
    }

    func encoded() -> BLIPRequest {
        var properties: BLIPProperties = ["Name": name, "Client": client]
        if let listenPort { properties["Listen"] = String(listenPort) }
        if !features.isEmpty { properties["Features"] = features.joined(separator: " ") }
        if let routes { properties["Routes"] = RouteList.text(routes) }
        if let proof { properties["Meet"] = Base64.encode(proof) }
        return BLIPRequest(profile: Self.profile.rawValue, properties: properties, urgent: true)
    }

    init(decoding request: BLIPIncomingRequest) throws(WireError) {
        let reader = PropertyReader(request.properties)
        name = try reader.text("Name", limit: WireLimit.name)
        client = try reader.optionalText("Client", limit: WireLimit.client) ?? ""
        listenPort = nil
        if reader.properties["Listen"] != nil {
            guard let port = UInt16(exactly: try reader.number("Listen")) else { throw .malformed("Listen") }
            listenPort = port > 0 ? port : nil
        }
        let list = try reader.optionalText("Features", limit: WireLimit.features) ?? ""
        features = list.split(separator: " ").map(String.init)
        routes = try reader.routes()
        if let text = try reader.optionalText("Meet", limit: WireLimit.proof) {
            guard let proof = Base64.decode(text) else { throw .malformed("Meet") }
            self.proof = proof
        }
    }
}

/// The abilities of a program that the first version did not have, as `Features` of `hello` names them. Unknown names
/// mean nothing.
struct PeerFeatures: OptionSet, Sendable {
    let rawValue: Int
    /// Small files travel together: it answers `file-bundle`, and takes more offers at once.
    static let bundles = Self(rawValue: 1 << 0)
    /// It knows several ways to a contact, and hears of changes to ours.
    static let routes = Self(rawValue: 1 << 1)
    /// It takes connections for files alone beside a link, and opens them on request.
    static let lanes = Self(rawValue: 1 << 2)
    /// Once it has said hello itself, it takes operations that follow a hello that it has not answered yet.
    static let early = Self(rawValue: 1 << 3)
    /// It calls at the same moment as we do when both of us ask for that.
    static let punch = Self(rawValue: 1 << 4)

    private static let named: [(name: String, feature: Self)] = [
        ("bundles", .bundles), ("routes", .routes), ("lanes", .lanes), ("early", .early),
        ("punch", .punch),
    ]

    init(rawValue: Int) { self.rawValue = rawValue }

    init(names: [String]) {
        self = []
        for (name, feature) in Self.named where names.contains(name) { insert(feature) }
    }

    var names: [String] { Self.named.filter { contains($0.feature) }.map(\.name) }
}

/// Whether the caller may talk to us. Blocked callers get error 403 instead.
struct HelloReply: Sendable, Equatable {
    enum Answer: String, Sendable {
        case accepted
        case pending
    }

    /// The answer about the caller's invitation.
    enum Meeting: Sendable, Equatable {
        /// The answering side knows it, too.
        case proof([UInt8])
        /// Somebody else has come with it.
        case used
    }

    var answer: Answer
    var meeting: Meeting?
    /// From where the caller has called, as we see it.
    var seenAt: Endpoint?

    func encoded() -> BLIPResponse {
        var properties: BLIPProperties = ["Contact": answer.rawValue]
        if let seenAt { properties["Seen-At"] = seenAt.description }
        switch meeting {
        case .proof(let proof): properties["Meet"] = Base64.encode(proof)
        case .used: properties["Meet"] = Self.used
        case nil: break
        }
        return BLIPResponse(properties: properties)
    }

    init(_ answer: Answer, _ meeting: Meeting? = nil, seenAt: Endpoint? = nil) {
        self.answer = answer
        self.meeting = meeting
        self.seenAt = seenAt
    }

    init(decoding response: BLIPResponse) throws(WireError) {
        let reader = PropertyReader(response.properties)
        guard let answer = Answer(rawValue: try reader.text("Contact", limit: 16)) else {
            throw .malformed("Contact")
        }
        self.answer = answer
        // A place that cannot be read says nothing, and nobody needs it.
        seenAt = try reader.optionalText("Seen-At", limit: WireLimit.place).flatMap { Endpoint($0) }
        guard let text = try reader.optionalText("Meet", limit: WireLimit.proof) else { return }
        guard text != Self.used else {
            meeting = .used
            return
        }
        guard let proof = Base64.decode(text) else { throw .malformed("Meet") }
        meeting = .proof(proof)
    }

    /// No proof: those are 44 characters.
    private static let used = "used"
}

/// `accepted`: our user has approved the receiver's contact request. No reply.
struct AcceptedRequest: WireRequest {
    static let profile = ChatProfile.accepted
    init() {}
    init(decoding request: BLIPIncomingRequest) throws(WireError) {}
    func encoded() -> BLIPRequest { BLIPRequest(profile: Self.profile.rawValue, urgent: true) }
}
