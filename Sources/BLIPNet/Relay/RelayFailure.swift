// Why a relay is of no use, as a value: the words for people are made elsewhere.

/// A problem with a relay, or with a peer that it serves.
public enum RelayProblem: Error, Sendable, Hashable {
    /// It cannot be connected to, or answers nothing.
    case silent
    /// The connection to it has ended.
    case gone
    /// Something with another certificate than the expected one answers there.
    case otherKey
    /// It takes nobody more.
    case full
    /// It lets nobody in without its token.
    case wantsToken
    /// The peer that we call has not joined there.
    case notThere
    /// Our own id is in use there, perhaps on a connection that is dead.
    case idTaken
    /// It wanted to send us to another address.
    case elsewhere
    /// We were put through, and then nobody spoke.
    case peerSilent
    /// It does not speak the relay protocol; says what is wrong.
    case violated(reason: String)
}

/// A relay, and what is wrong with it.
public struct RelayFailure: Error, Sendable, Equatable {
    /// Where the relay is.
    public var relay: Endpoint
    public var problem: RelayProblem

    package init(relay: Endpoint, problem: RelayProblem) {
        self.relay = relay
        self.problem = problem
    }
}
