// The name/value pairs at the start of a BLIP message (PROTOCOL 3.1).

/// An ordered list of text pairs. Names are case-sensitive; a name occurs at most once.
public struct BLIPProperties: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    public struct Pair: Sendable, Equatable {
        public var name: String
        public var value: String
        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The pairs in wire order.
    public private(set) var pairs: [Pair] = []

    package init() {}

    /// Takes pairs as they are; the caller knows that no name occurs twice.
    init(wirePairs: [Pair]) { pairs = wirePairs }

    public init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { self[name] = value }
    }

    public var isEmpty: Bool { pairs.isEmpty }

    /// The value of `name`. Setting `nil` removes it; setting an existing name keeps its place.
    public subscript(name: String) -> String? {
        get { pairs.first { $0.name.utf8.elementsEqual(name.utf8) }?.value }
        set {
            let index = pairs.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }
            switch (index, newValue) {
            case (let index?, let value?): pairs[index].value = value
            case (let index?, nil): pairs.remove(at: index)
            case (nil, let value?): pairs.append(Pair(name: name, value: value))
            case (nil, nil): break
            }
        }
    }
}

extension BLIPProperties {
    /// The property that names what a request asks for.
    package static let profileName = "Profile"
    package static let errorDomainName = "Error-Domain"
    package static let errorCodeName = "Error-Code"

    public var profile: String? {
        get { self[Self.profileName] }
        set { self[Self.profileName] = newValue }
    }
}
