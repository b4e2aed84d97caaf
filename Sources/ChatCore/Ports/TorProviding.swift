// What ChatCore needs of tor, the program: one that runs. The host of the chat starts it as a child.

package import BLIPNet

/// Has a tor, or starts one.
package protocol TorProviding: Sendable {
    /// Starts a tor of our own, or names that of our user's at `control`. Throws `.notInstalled`, `.programKept`.
    func start(at control: Endpoint?) async throws(OnionProblem) -> any RunningTor

    /// The content of a small file of tor's; `nil`: it cannot be read, or is too large.
    func read(_ path: String) async -> [UInt8]?
}

/// A tor that runs, or is about to.
package protocol RunningTor: Sendable {
    /// Its control port.
    var control: Endpoint { get }
    /// Where it takes SOCKS; `nil`: it says so itself.
    var socks: Endpoint? { get }
    /// Where our listener waits for those whom tor brings.
    var door: Endpoint { get }
    /// The same for whoever knows the words of the invitation with this number.
    func door(ofWords number: Int) -> Endpoint
    /// It is a child of ours.
    var isOurs: Bool { get }

    /// Returns when its control port may be there; throws `.ended` when it has ended instead.
    func waitUntilReady() async throws(OnionProblem)
    /// Why our tor has ended; `nil` while it runs, or if our user has started it.
    func end() async -> OnionProblem?
    /// Ends it, if it is ours. Returns when it is gone.
    func stop() async
}

/// For a chat without tor (tests, a command that is over at once).
package struct NoTor: TorProviding {
    package init() {}
    package func start(at control: Endpoint?) async throws(OnionProblem) -> any RunningTor { throw .notInstalled }
    package func read(_ path: String) async -> [UInt8]? { nil }
}
