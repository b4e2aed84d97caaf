// A control connection to a tor, and the conversation on it (REACH 5).

/// One tor, as long as the connection lasts.
package struct TorSession: Sendable {
    let control: Endpoint
    let wish: TorControl.Wish
    let cookie: @Sendable (String) async -> [UInt8]?

    /// `control`: a UNIX socket, or a port of this machine. `cookie` reads the file of this name.
    package init(control: Endpoint, wish: TorControl.Wish, cookie: @escaping @Sendable (String) async -> [UInt8]?) {
        self.control = control
        self.wish = wish
        self.cookie = cookie
    }

    /// Talks with tor and hands on what happens, until it, the connection or the task ends. Returns why it is over.
    package func run(_ news: (TorControl.Event) async -> Void) async -> OnionProblem {
        var options = ConnectOptions()
        options.timeout = TorControl.patience
        let connection = TCPConnection.connect(to: control, options: options)
        defer { connection.close() }
        do throws(NetError) { try await connection.waitUntilConnected() } catch { return .silent }
        var talk = TorControl(wish, nonce: RandomSource.system.bytes(32), now: .now())
        while true {
            await send(talk.takeOutgoing(), on: connection, &talk)
            while let event = talk.nextEvent() {
                switch event {
                case .ended(let problem): return problem
                case .wantsCookie(let path): talk.provide(cookie: await cookie(path), now: .now())
                default: await news(event)
                }
                await send(talk.takeOutgoing(), on: connection, &talk)
            }
            do throws(NetError) {
                let bytes = try await connection.readSome(max: 4096, deadline: talk.deadline)
                if bytes.isEmpty { talk.receiveEnd() } else { talk.receive(bytes, now: .now()) }
            } catch .readTimedOut {
                talk.handleTimeout(now: .now())
            } catch .cancelled {
                talk.leave()
                let goodbye = talk.takeOutgoing()
                // This task writes nothing any more.
                await Task {
                    do throws(NetError) { try await connection.write(goodbye, deadline: .now() + .seconds(1)) } catch {}
                }.value
                return .silent
            } catch {
                talk.receiveEnd()
            }
        }
    }

    private func send(_ bytes: [UInt8], on connection: TCPConnection, _ talk: inout TorControl) async {
        guard !bytes.isEmpty else { return }
        do throws(NetError) { try await connection.write(bytes, deadline: .now() + TorControl.patience) } catch {
            talk.receiveEnd()
        }
    }
}
