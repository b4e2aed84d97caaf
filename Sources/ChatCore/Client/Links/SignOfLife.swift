// Whether a link still carries anything: asked where something else than its own silence says that it may not.

import BLIPNet

/// Belongs to the client.
struct SignOfLife {
    let core: ClientCore

    /// Whether the peer answers within `limit`. Any answer counts, even that of a program that does not know the
    /// question, and so does anything else that comes: on a slow line the answer may have to wait for much other data.
    func comes(on link: ActiveLink, within limit: Duration) async -> Bool {
        let before = await link.connection.counters.bytesReceived
        let (signs, teller) = AsyncStream.makeStream(of: Bool.self)
        let pending = link.connection.submit(BLIPRequest(profile: "ping", urgent: true), bodySink: nil)
        let question = core.tasks.spawn { _ in
            do throws(LinkError) {
                _ = try await pending.value()
                teller.yield(true)
            } catch {
                teller.yield(false)
            }
        }
        let timer = core.tasks.spawn { client in
            do { try await client.core.clock.wait(limit) } catch { return }
            teller.yield(await link.connection.counters.bytesReceived > before)
        }
        var iterator = signs.makeAsyncIterator()
        let lives = await iterator.next() ?? false
        question.cancel()
        timer.cancel()
        return lives
    }
}
