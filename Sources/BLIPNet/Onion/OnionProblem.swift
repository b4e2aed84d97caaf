// Why Tor is of no use, or whom we call is not there, as a value: the words for people are made elsewhere.

/// Why our tor, or an onion service that we call, does not work.
public enum OnionProblem: Error, Sendable, Hashable {
    /// Our user does not use Tor.
    case off
    /// Our user uses nothing but Tor, and this would go round it.
    case onlyTor

    // Our own tor.

    /// The program is not there.
    case notInstalled
    /// The program is there, and may not be run (`serve` in its sandbox).
    case programKept
    /// It is on its way: so many of 100 steps are done.
    case starting(percent: Int)
    /// It has ended on its own; its last words, perhaps none.
    case ended(reason: String)
    /// Its control port or its SOCKS port cannot be connected to, or says nothing.
    case silent
    /// It does not know the cookie: it is not the tor that has written it.
    case otherTor
    /// Its cookie cannot be read.
    case noCookie
    /// It refuses our request; its words.
    case refused(reason: String)
    /// It does not speak its protocol; says what is wrong.
    case violated(reason: String)

    // The service that we call.

    /// Tor knows no such service now.
    case notThere
    /// The service is there and takes no calls for us at this port.
    case refusedThere
    /// The service lets in only those whose key it knows.
    case wantsKey
    /// It is no name of a service.
    case badName
    /// The service cannot be reached, or takes too long.
    case unreachable
}
