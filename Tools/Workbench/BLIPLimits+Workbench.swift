// What the workbench lets a peer do: more than the chat, because other implementations are tried against it.

package import BLIPNet

extension BLIPLimits {
    /// Other implementations begin all the messages that they have and send one frame of each in turn; the default
    /// limits would close on a hundred of them.
    package static var workbench: BLIPLimits {
        var limits = BLIPLimits()
        limits.maxOpenIncoming = 1_024
        limits.maxBufferedBytes = 256 << 20
        return limits
    }
}
