// Invitations and people nearby on the screen: what is typed, and what the user reads.

import Testing

@testable import ChatCore
@testable import ChatTUI
@testable import ChatWords

@Suite("Meeting on the screen") struct MeetScreenTests {
    private typealias Fixture = ScreenFixture

    private func said(_ text: String) throws -> SpokenInvitation { try #require(SpokenInvitation(text)) }

    @Test("words are joined however they are typed, with a relay and a name behind them")
    func join() throws {
        var fixture = Fixture.main(columns: 80, rows: 24)
        let plain = Errand.call(.meet(try said("tiger-lemon-orbit-cable"), name: nil))
        let relayed = Errand.call(.meet(try said("tiger-lemon-orbit-cable@relay.example.org"), name: "Jo B"))
        for (line, errand) in [
            ("/join tiger-lemon-orbit-cable", plain), ("/join Tiger lemo orbit CABLE", plain),
            ("/join tiger-lemon-orbit-cable@relay.example.org Jo B", relayed),
            ("/join tiger lemon orbit cable@relay.example.org Jo B", relayed),
        ] {
            fixture.effects = []
            fixture.enter(line)
            #expect(fixture.errands == [errand], "\(line)")
        }
        fixture.effects = []
        fixture.enter("/join tiger-lemno-orbit-cable")
        #expect(fixture.errands.isEmpty && fixture.text.contains("not four words of an invitation"))
        fixture.enter("/join sio+tls://chat.example/garden")
        #expect(fixture.errands.count == 1)
    }

    @Test("Tab completes each of the words, with dashes or blanks between")
    func completion() {
        for (typed, completed) in [
            ("/join tig", "/join tiger "), ("/join tiger-lem", "/join tiger-lemon "),
            ("/join tiger lem", "/join tiger lemon "),
        ] {
            var fixture = Fixture.main(columns: 80, rows: 24)
            fixture.type(typed)
            fixture.press("Tab")
            #expect(fixture.state.composer.input.text == completed, "\(typed)")
        }
    }

    @Test("an invitation shows words and link, until when they work, and where")
    func invite() throws {
        var fixture = Fixture.main(columns: 100, rows: 24)
        fixture.enter("/invite 1h @relay.example.org")
        let place = try #require(MeetPlace("relay.example.org"))
        #expect(fixture.errands == [.call(.invite(seconds: 3600, at: place))])
        var invitation = Invitation(
            address: PeerAddress(host: "192.0.2.7"), until: Fixture.time(22, 9, 0), isReachable: false,
            spoken: Invitation.Spoken(
                words: "tiger-lemon-orbit-cable", until: Fixture.time(21, 9, 30), place: place, isNear: false))
        fixture.send(.done(.call(.invite(seconds: 3600, at: place)), .reply(invitation)))
        for words in [
            "Say:  tiger-lemon-orbit-cable@relay.example.org (once, until", "blip://192.0.2.7:4985",
            "The words work from everywhere, the link only in this network.",
        ] {
            #expect(fixture.text.contains(words), "\(words)")
        }
        invitation.spoken?.place = nil
        invitation.spoken?.onion = .starting(percent: 45)
        fixture.send(.done(.call(.invite(seconds: nil, at: nil)), .reply(invitation)))
        for words in [
            "Say:  tiger-lemon-orbit-cable (once, until", "The words do not work by Tor yet: tor starts: 45 %",
            "The words work for somebody who uses Tor, too (/set reach.tor on).",
        ] {
            #expect(fixture.text.contains(words), "\(words)")
        }
        invitation.spoken = nil
        fixture.send(.done(.call(.invite(seconds: nil, at: nil)), .reply(invitation)))
        #expect(fixture.text.contains("Only people in this network can reach you."))
        fixture.enter("/invite soon")
        #expect(fixture.text.contains("/invite [TIME] [@HOST]"))
    }

    @Test("who is nearby: contacts by name, others by what they show, and why nobody is found")
    func nearby() throws {
        var fixture = Fixture.main(columns: 100, rows: 24)
        fixture.enter("/nearby show")
        #expect(fixture.questions == [.call(.nearby(showSeconds: 600))])
        var report = NearbyReport(state: .looking, neighbours: [], strangers: 2, shownUntil: Fixture.time(21, 9, 30))
        report.neighbours = [
            NearbyReport.Neighbour(
                contact: Fixture.alice, name: "alice", address: PeerAddress(host: "10.0.1.3"),
                seen: Fixture.time(21, 9, 0)),
            NearbyReport.Neighbour(
                contact: nil, name: "eve\u{1B}[2J", address: PeerAddress(host: "10.0.1.4"), seen: Fixture.time(21, 9, 0)
            ),
        ]
        fixture.send(.answer(.reply(.nearby(showSeconds: nil), report)))
        for words in [
            "alice  10.0.1.3:4985", "no contact: /add blip://10.0.1.4:4985", "2 other blipchats",
            "You are seen here by name until",
        ] {
            #expect(fixture.text.contains(words), "\(words)")
        }
        report.state = .missing
        fixture.send(.answer(.reply(.nearby(showSeconds: nil), report)))
        #expect(fixture.text.contains("No avahi here; people nearby are not found (apt install avahi-daemon)"))
        fixture.enter("/nearby show soon")
        #expect(fixture.text.contains("/nearby, or /nearby show 10m"))
    }

    @Test("REACH 6: blocking offers new mailboxes where somebody may know the old ones, and only there")
    func renewal() throws {
        for isRelayed in [false, true] {
            var fixture = Fixture.main(columns: 120, rows: 24)
            if isRelayed {
                let onion = "rkeohxlubhyzl7ks3mwtzos5olfgocn7dwkbeg7toseadnapn5optfad.onion"
                var address = try #require(fixture.state.world.identity.address)
                address.via = [try #require(Route(onion))]
                fixture.state.world.setIdentity(\.address, to: address)
            }
            fixture.enter("/block bob")
            fixture.send(.done(.call(.setBlocked(Fixture.bob, true)), .nothing))
            #expect(fixture.text.contains("Bob is blocked (/unblock Bob)"))
            #expect(fixture.text.contains("(/reach renew ends that)") == isRelayed)
            fixture.send(.done(.call(.setBlocked(Fixture.bob, false)), .nothing))
            #expect(fixture.text.contains("Bob may call again"))
        }
    }

    @Test("nobody waits with the words: the user reads why")
    func failures() throws {
        var fixture = Fixture.main(columns: 100, rows: 24)
        let errand = Errand.call(.meet(try said("tiger-lemon-orbit-cable"), name: nil))
        fixture.send(.failed(errand, .notMet(.nobody)))
        #expect(fixture.text.contains("nobody waits with these words: mistyped, used or"))
        fixture.send(.failed(errand, .notMet(.used)))
        #expect(fixture.text.contains("this invitation has been used"))
    }
}
