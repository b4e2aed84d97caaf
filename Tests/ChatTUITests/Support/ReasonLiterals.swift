// Reasons whose words matter to a test, and nothing else about them.

import ChatCore

extension TransferReason: ExpressibleByStringLiteral {
    package init(stringLiteral words: String) { self = .other(words) }
}

extension DeliveryFailure: ExpressibleByStringLiteral {
    package init(stringLiteral words: String) { self = .other(words) }
}

extension LinkReason: ExpressibleByStringLiteral {
    package init(stringLiteral words: String) { self = .bodyFailed(reason: words) }
}
