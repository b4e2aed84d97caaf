// What links get of the limits of a chat.

import BLIPNet
import Testing

@testable import ChatCore

@Suite("Limits of the network") struct NetworkLimitsTests {
    @Test("the kernel asks after a link that is at rest only when we have not", arguments: [20, 120, 600])
    func keepalive(seconds: Int) {
        var limits = NetworkLimits()
        limits.keepalive = .seconds(seconds)
        var options = LinkOptions()
        limits.apply(to: &options)
        let ours = max(Duration.seconds(seconds), limits.keepaliveAtRest)
        #expect(options.connect.stream.keepalive?.idle == ours * 2)
        #expect(options.webSocket.keepaliveAtRest == ours)
    }
}
