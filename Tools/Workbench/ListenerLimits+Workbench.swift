// How many callers a workbench takes: more than the chat, because test programs call as often as they like.

package import BLIPNet

extension ListenerLimits {
    package static var workbench: ListenerLimits {
        var limits = ListenerLimits()
        limits.maxConnections = 4_000
        limits.maxHandshakes = 4_000
        limits.maxHandshakesPerAddress = 4_000
        limits.handshakesPerSecond = 100_000
        limits.handshakesPerSecondPerNetwork = 100_000
        return limits
    }
}
