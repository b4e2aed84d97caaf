// `punch` and `punch-go`: two peers with routers in front agree to call each other at the same moment (REACH 4).

import BLIPNet

/// Where the sender's calls come out, in the reply as well. A sender with an empty list cannot say.
struct PunchRequest: WireRequest {
    static let profile = ChatProfile.punch
    static let rounds = 1...3

    var round: Int
    var candidates: [Endpoint]

    init(round: Int, candidates: [Endpoint]) {
        self.round = round
        self.candidates = candidates
    }

    func encoded() -> BLIPRequest {
        BLIPRequest(
            profile: Self.profile.rawValue,
            properties: ["Round": String(round), "Candidates": PunchCandidates.text(candidates)], urgent: true)
    }

    init(decoding request: BLIPIncomingRequest) throws(WireError) {
        let reader = PropertyReader(request.properties)
        round = try reader.round()
        candidates = try reader.candidates()
    }
}

/// The receiver's candidates of the same round.
struct PunchReply: Sendable, Equatable {
    var candidates: [Endpoint]

    init(candidates: [Endpoint]) { self.candidates = candidates }

    func encoded() -> BLIPResponse {
        BLIPResponse(properties: ["Candidates": PunchCandidates.text(candidates)])
    }

    init(decoding response: BLIPResponse) throws(WireError) {
        candidates = try PropertyReader(response.properties).candidates()
    }
}

/// The receiver calls now; the sender will half a round trip later. No reply.
struct PunchGoRequest: WireRequest {
    static let profile = ChatProfile.punchGo
    var round: Int

    init(round: Int) { self.round = round }

    func encoded() -> BLIPRequest {
        BLIPRequest(profile: Self.profile.rawValue, properties: ["Round": String(round)], urgent: true)
    }

    init(decoding request: BLIPIncomingRequest) throws(WireError) {
        round = try PropertyReader(request.properties).round()
    }
}

/// The property `Candidates`: `HOST:PORT` with numeric hosts, a blank between.
private enum PunchCandidates {
    static let mostBytes = 256

    static func text(_ candidates: [Endpoint]) -> String {
        candidates.prefix(HolePunch.mostCandidates).map(\.description).joined(separator: " ")
    }
}

extension PropertyReader {
    fileprivate func round() throws(WireError) -> Int {
        guard let round = Int(exactly: try number("Round")), PunchRequest.rounds.contains(round) else {
            throw .malformed("Round")
        }
        return round
    }

    /// No names: nobody is made to ask for the address of a host.
    fileprivate func candidates() throws(WireError) -> [Endpoint] {
        let text = try optionalText("Candidates", limit: PunchCandidates.mostBytes) ?? ""
        return text.split(separator: " ").prefix(HolePunch.mostCandidates).compactMap { word in
            guard case .host(let host, let port)? = Endpoint(String(word)), port > 0,
                SocketAddress(host: host, port: port) != nil
            else { return nil }
            return .host(host, port: port)
        }
    }
}
