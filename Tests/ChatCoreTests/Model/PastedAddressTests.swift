// Addresses as people hand them on: both forms, and what copying from a terminal does to them.

import Testing

@testable import ChatCore

@Suite struct PastedAddressTests {
    private let id = String(repeating: "k", count: 51) + "a"
    private var whole: String { "blip://192.0.2.10:4985/\(id)#Jo%20S" }

    @Test("a scheme is found byte by byte: a mark behind it is part of the host")
    func markBehindScheme() throws {
        let address = try PeerAddress(parsing: "\u{1B2C}a")
        #expect(try PeerAddress(parsing: address.description) == address)
        #expect(try PeerAddress(parsing: "BLIP://host").host == "host")
        #expect(throws: PeerAddressError.wrongScheme("blip\u{1A}")) { try PeerAddress(parsing: "blip\u{1A}://host") }
    }

    @Test("both forms are read, and the one without characters of shells is written")
    func forms() throws {
        let address = try PeerAddress(parsing: "blip://192.0.2.10:4985/\(id)?name=Jo%20S")
        #expect(address.name == "Jo S" && "\(address)" == whole)
        #expect(try PeerAddress(parsing: whole) == address)
        #expect("\(address)".allSatisfy { !"?&=*;|<>()$`'\"\\!~{} ".contains($0) })
        #expect(try PeerAddress(parsing: "blip://h:1#").name == nil)
        #expect(try PeerAddress(parsing: "h:1#Al").name == "Al")
        #expect(throws: PeerAddressError.badName) { try PeerAddress(parsing: "blip://h:1#%zz") }
    }

    @Test("white space and frames inside an address are no part of it, wherever it was broken")
    func layout() throws {
        let address = try PeerAddress(parsing: whole)
        for cut in 1..<whole.count {
            for gap in ["\n", " ", "   │\r\n│ ", "\n| ", "\u{A0}", "\t┃ "] {
                let broken = whole.prefix(cut) + gap + whole.dropFirst(cut)
                #expect(try PeerAddress(parsing: String(broken)) == address, "\(broken)")
            }
        }
        #expect(throws: PeerAddressError.tooLong) { try PeerAddress(parsing: String(repeating: "x", count: 1_025)) }
        let long = whole + String(repeating: " ", count: 2_000)
        #expect(try PeerAddress(parsing: long) == address)
    }

    private func expect(_ text: String, _ address: String, _ rest: String) {
        let parts = PastedAddress.split(text)
        #expect(parts.address == address && parts.rest == rest, "\(text)")
    }

    @Test("a name behind a broken address stays a name")
    func split() {
        let (host, rest) = ("blip://192.0.2.10:4985/", "\(id.dropFirst(20))#Jo%20S")
        for text in [
            whole, "\(host)\(id.prefix(20)) \(rest)", "\(host)\(id.prefix(20))  │\n│ \(rest)",
            "\(host)\n\(id.prefix(20))\n\(rest)", "  \(host)\(id) #Jo%20S",
        ] {
            expect(text, whole, "")
            expect(text + " Anna B", whole, "Anna B")
        }
        expect("192.0.2.1:5 Anna B", "192.0.2.1:5", "Anna B")
        expect("", "", "")
        expect(" │ \n", "", "")
    }
}
