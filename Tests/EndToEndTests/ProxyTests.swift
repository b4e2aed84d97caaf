// net.proxy: two real programs that talk through a real HTTP proxy.

import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite struct ProxyTests {
        /// A server that takes everybody, and a home that knows it.
        private func pair() async throws -> (bob: Server, alice: BlipchatHome) {
            let bob = try await Server(BlipchatHome("bob"), "--accept-requests", "--accept-files", "1M")
            let alice = try BlipchatHome("alice")
            try await alice.add(try await bob.home.address(), as: "bob")
            return (bob, alice)
        }

        @Test("messages and files go through the proxy, which sees only where they go")
        func sends() async throws {
            let (bob, alice) = try await pair()
            let proxy = try ConnectProxy()
            let target = "CONNECT 127.0.0.1:\(try bob.port) HTTP/1.1"
            #expect(try await alice.run("config", "set", "net.proxy", "http://\(proxy.address)").status == .exited(0))
            #expect(try await alice.run("send", "bob", "through the wall").status == .exited(0))
            #expect(proxy.requests == [target])
            let file = alice.folder.file("photo")
            try TestFile.write(String(repeating: "x", count: 300_000), to: file)
            #expect(try await alice.run("send-file", "bob", file).status == .exited(0))
            #expect(proxy.requests == [target, target])
            #expect(try await bob.home.texts("alice").contains("through the wall"))
            try await bob.stop()
        }

        @Test("a proxy that wants a password gets the one of the setting")
        func password() async throws {
            let (bob, alice) = try await pair()
            let proxy = try ConnectProxy(password: "jo:secret")
            let setting = "http://jo:secret@\(proxy.address)"
            #expect(try await alice.run("config", "set", "net.proxy", setting).status == .exited(0))
            #expect(try await alice.run("send", "bob", "hello").status == .exited(0))
            #expect(proxy.requests.last?.hasSuffix("Proxy-Authorization: Basic am86c2VjcmV0") == true)
            try await bob.stop()
        }

        @Test("what the environment says counts only when the setting says so")
        func environment() async throws {
            let (bob, alice) = try await pair()
            let proxy = try ConnectProxy()
            func isSent(_ text: String) async throws -> Bool {
                var environment = alice.environment
                environment["https_proxy"] = "http://\(proxy.address)"
                let process = try ChildProcess(
                    [alice.command, "send", "bob", text], environment: environment, folder: alice.folder)
                return try await process.waitForExit() == .exited(0)
            }
            #expect(try await isSent("direct"))
            #expect(proxy.requests.isEmpty)
            #expect(try await alice.run("config", "set", "net.proxy", "environment").status == .exited(0))
            #expect(try await isSent("relayed"))
            #expect(proxy.requests.count == 1)
            try await bob.stop()
        }

        @Test("/set and a reload change the proxy of the running chat; what is wrong with it is told in words")
        func changes() async throws {
            let (bob, alice) = try await pair()
            let proxy = try ConnectProxy()
            // Bob must not find the way back: his call would be direct.
            #expect(try await alice.run("config", "set", "security.hide_address", "true").status == .exited(0))
            let screen = try await Screen(alice)
            let closed = try PlainServer.freePort()
            try await screen.tmux.enter("/query bob")
            try await screen.tmux.waitFor("the direct link") { $0.contains("TLS direct") }
            try await screen.tmux.enter("/set net.proxy http://127.0.0.1:\(closed)")
            try await screen.tmux.waitFor("the setting") { $0.contains("net.proxy = ") }
            try await screen.tmux.enter("/disconnect")
            try await screen.tmux.enter("/connect")
            try await screen.tmux.waitFor("what is wrong") { $0.contains("the proxy 127.0.0.1:\(closed)") }
            let settings = "[security]\nhide_address = true\n[net]\nproxy = \"\(proxy.address)\"\n"
            try TestFile.write(settings, to: alice.path + "/config.toml")
            try await screen.tmux.enter("/reload")
            try await screen.tmux.waitFor("the link through the proxy") { $0.contains("TLS relay") }
            #expect(proxy.requests.count == 1)
            try await screen.tmux.enter("/set net.proxy socks5://x")
            try await screen.tmux.waitFor("what can be set") { $0.contains("http://HOST:PORT") }
            try await screen.quit()
            try await bob.stop()
        }
    }
}
