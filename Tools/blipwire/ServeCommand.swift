// `blipwire serve`: answers the workbench's profiles.

internal import BLIPNet
internal import Workbench

struct ServeCommand {
    private let endpoint: Endpoint
    private var link: LinkArguments
    private let isPlain: Bool

    init(_ arguments: inout Arguments) throws(UsageError) {
        guard let text = try arguments.takeValue("--listen") else {
            throw UsageError("`--listen HOST:PORT` is missing")
        }
        guard let endpoint = Endpoint(text) else { throw UsageError("`\(text)` is not HOST:PORT") }
        self.endpoint = endpoint
        isPlain = arguments.takeFlag("--insecure")
        link = try LinkArguments(&arguments)
        if let origin = try arguments.takeValue("--origin") { link.options.allowedOrigins = [origin] }
        try arguments.finish()
    }

    /// Runs until the process is ended.
    func run() async throws -> Int32 {
        var link = link
        if !isPlain { try link.loadIdentity() }
        // A workbench is used by test programs, which call as often as they like.
        var admission = ListenerLimits()
        admission.maxConnections = 2_000
        admission.maxHandshakesPerAddress = 2_000
        admission.handshakesPerSecond = 10_000
        let listener = try LinkListener.listen(on: endpoint, options: link.options, admission: admission) { _ in
            WorkbenchHandler()
        }
        Blipwire.say("listening on \(listener.localEndpoint)")
        if let identity = link.options.identity { Blipwire.say("fingerprint \(identity.fingerprint.bytes.hex)") }
        while !Task.isCancelled { try await Task.sleep(for: .seconds(3600)) }
        listener.close()
        return 0
    }
}
