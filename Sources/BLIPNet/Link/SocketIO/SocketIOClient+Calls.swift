// The calls whose callers wait. Errors are handed back as values, and thrown where the caller is (decision 0014).

extension SocketIOClient {
    /// Joins a namespace, and waits for it.
    func joined(_ namespace: String, timeout: Duration) async -> Result<Void, SocketIOError> {
        do throws(SocketIOError) { try session.join(namespace, now: .now()) } catch { return .failure(error) }
        if wish == .nothing { wish = .once }
        dial()
        work()
        let number = calls.nextNumber()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { (waiter: SocketIOCalls.JoinWaiter) in
                // The body may run later than it seems: whatever has happened by then counts.
                guard !Task.isCancelled else { return waiter.resume(returning: .failure(.cancelled)) }
                guard future != .stays || !session.isConnected(namespace) else {
                    return waiter.resume(returning: .success(()))
                }
                guard session.joined.contains(namespace), wish != .nothing else {
                    return waiter.resume(returning: .failure(lastEnd))
                }
                let timer = loop.schedule(at: .now() + timeout) { [weak self] in
                    self?.assumeIsolated { $0.giveUp(number, .timedOut("connect")) }
                }
                calls.waitToJoin(namespace, number, waiter, timer: timer)
            }
        } onCancel: {
            loop.execute { [weak self] in self?.assumeIsolated { $0.giveUp(number, .cancelled) } }
        }
    }

    /// A caller no longer wants to wait. An attempt for which nobody waits is cancelled.
    private func giveUp(_ number: UInt64, _ error: SocketIOError) {
        guard calls.endJoin(number, .failure(error)), wish == .once, calls.hasNoJoins else { return }
        close()
        work()
    }

    func leave(_ namespace: String) {
        session.leave(namespace)
        work()
    }

    /// Queues an event, and waits for what becomes of it.
    func emitted(
        _ name: String, _ values: [SocketIOValue], in namespace: String, ackTimeout: Duration?
    ) async -> Result<[SocketIOValue], SocketIOError> {
        let number = calls.nextNumber()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { (waiter: SocketIOCalls.EmitWaiter) in
                // All of it here: what happens before somebody waits for it would be missed.
                guard !Task.isCancelled else { return waiter.resume(returning: .failure(.cancelled)) }
                guard wish != .nothing else { return waiter.resume(returning: .failure(.notConnected)) }
                do throws(SocketIOError) {
                    let ticket = try session.emit(
                        name, values, namespace: namespace, ackTimeout: ackTimeout, now: .now())
                    calls.waitForEmit(ticket, number, waiter, wantsAck: ackTimeout != nil)
                } catch {
                    waiter.resume(returning: .failure(error))
                }
                work()
            }
        } onCancel: {
            loop.execute { [weak self] in self?.assumeIsolated { $0.calls.cancelEmit(number) } }
        }
    }
}
