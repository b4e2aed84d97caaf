// Reasons whose words matter to a test, and nothing else about them.

import ChatCore

extension TransferReason: @retroactive ExpressibleByStringLiteral {
    public init(stringLiteral words: String) { self = .other(words) }
}

extension DeliveryFailure: @retroactive ExpressibleByStringLiteral {
    public init(stringLiteral words: String) { self = .other(words) }
}

extension LinkReason: @retroactive ExpressibleByStringLiteral {
    public init(stringLiteral words: String) { self = .bodyFailed(reason: words) }
}
