// A user name and its password, and their form in Basic authentication.

/// A user's name and password at a server or proxy. The description hides the password, lest it end up in a log.
public struct HTTPCredentials: Sendable, Hashable, CustomStringConvertible {
    package var user: String
    package var password: String

    public init(user: String, password: String) {
        self.user = user
        self.password = password
    }

    public var description: String { "\(user):***" }

    /// The field value of Basic authentication (RFC 7617), in UTF-8. `nil` when the user name has a colon, or when
    /// there are control characters: the server could not tell what is meant.
    var basicAuthorization: String? {
        let isPlain =
            !user.utf8.contains(UInt8(ascii: ":"))
            && ![user, password].contains { part in
                part.utf8.contains { $0 < 0x20 || $0 == 0x7F }
            }
        return isPlain ? "Basic " + Base64.encode(Array("\(user):\(password)".utf8)) : nil
    }
}
