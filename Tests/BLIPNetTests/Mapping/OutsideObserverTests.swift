// Where our connections come out, as a stdiscosrv says it.

import TestSupport
import Testing

@testable import BLIPNet

@Suite("The server that says where we come out") struct OutsideObserverTests {
    private struct Vectors: Decodable {
        struct Answer: Decodable {
            var body: String
        }
        var look: Answer
    }

    @Test("the recorded answer names the place")
    func recorded() throws {
        let vectors = try reachVector(Vectors.self, "observer.json")
        let place = OutsideObserver.place(in: Array(vectors.look.body.utf8))
        #expect(place?.endpoint == .host("11.0.0.11", port: 6001))
    }

    @Test(
        "what anybody may have stored there counts only as a numeric address with a port",
        arguments: [
            "", "[]", "{}", #"{"addresses":{}}"#, #"{"addresses":[]}"#, #"{"addresses":[1,null]}"#,
            #"{"addresses":["tcp://example.org:5"]}"#, #"{"addresses":["relay://11.0.0.1:22067"]}"#,
            #"{"addresses":["tcp://11.0.0.1:0"]}"#, #"{"addresses":["tcp://11.0.0.1"]}"#,
            #"{"addresses":["tcp://unix:/run/x"]}"#, #"{"addresses":["tcp://11.0.0.1:70000"]}"#,
        ])
    func nothing(answer: String) { #expect(OutsideObserver.place(in: Array(answer.utf8)) == nil) }

    @Test("the first one that can be used is taken")
    func first() {
        let answer =
            #"{"seen":"x","addresses":["blip://a:1","tcp://name:2","tcp://[2001:db8::1]:3","tcp://192.0.2.1:4"]}"#
        #expect(OutsideObserver.place(in: Array(answer.utf8))?.endpoint == .host("2001:db8::1", port: 3))
    }

    @Test("where another server answers, or none, nothing is known", .timeLimit(.minutes(2)))
    func otherServer() async throws {
        let identity = try TLSIdentity.generate()
        let listener = try LinkListener.listen(
            on: .host("127.0.0.1", port: 0), options: TestServer.patient(LinkOptions(identity: identity))
        ) { _ in TestHandler() }
        let (host, port) = ("127.0.0.1", try #require(SocketAddress(at: listener.localEndpoint)).port)
        let own = try #require(HolePunch.freePort())
        let wrong = OutsideObserver(host: host, port: port, id: RelayID(ofCertificate: [1]))
        #expect(await wrong.place(of: own) == nil)
        listener.close()
        #expect(await wrong.place(of: own) == nil)
    }
}

extension SocketAddress {
    /// Of a numeric endpoint.
    fileprivate init?(at endpoint: Endpoint) {
        guard case .host(let host, let port) = endpoint else { return nil }
        self.init(host: host, port: port)
    }
}
