// A path in simulated time: what pulling a file in ranges over it brings.

import Testing

@testable import ChatCore

/// One TCP connection in slow start over a path without loss: a sender that shares what the path takes evenly among the ranges
/// that it was asked for.
struct PathModel: Sendable, CustomTestStringConvertible {
    /// Bytes per second.
    var rate = 2.5e6
    /// Seconds.
    var roundTrip: Double
    /// Bytes of the file.
    var size = 50_000_000

    var testDescription: String { "\(rate * 8 / 1e6) Mbit/s, \(roundTrip) s, \(size) bytes" }

    private static let step = 0.002

    /// What is on its way: so many bytes of a range arrive, and are confirmed half a round trip later.
    private struct Flight {
        var arrives: Double
        var range: Int
        var bytes: Double
    }

    private struct Pulled {
        var range: FileRange
        var asked: Double
        var sent = 0.0
        var come = 0.0
        var firstBytes: Double?
    }

    /// What may be unconfirmed: from ten segments on it grows with what is confirmed, up to twice what the path holds.
    private struct Window {
        var size = 14_600.0
        var used = 0.0
        var flights: [Flight] = []
        var confirmed = 0

        mutating func advance(to time: Double, _ path: PathModel) {
            while confirmed < flights.count, flights[confirmed].arrives + path.roundTrip / 2 <= time {
                used -= flights[confirmed].bytes
                size = min(size + flights[confirmed].bytes, max(2 * path.rate * path.roundTrip, 30_000))
                confirmed += 1
            }
        }

        func room(_ path: PathModel) -> Double { max(min(path.rate * PathModel.step, size - used), 0) }

        mutating func send(_ bytes: Double, of range: Int, at time: Double, _ path: PathModel) {
            used += bytes
            flights.append(Flight(arrives: time + path.roundTrip / 2, range: range, bytes: bytes))
        }
    }

    /// Seconds for the whole file in one piece, which nobody has to ask for.
    func bareTime() -> Double {
        var (time, sent, window) = (0.0, 0.0, Window())
        while sent < Double(size) {
            time += Self.step
            window.advance(to: time, self)
            let bytes = min(window.room(self), Double(size) - sent)
            guard bytes > 0 else { continue }
            sent += bytes
            window.send(bytes, of: 0, at: time, self)
        }
        return time + roundTrip
    }

    /// Seconds for the whole file in the ranges that the planner asks for.
    func pulledTime() -> Double {
        var planner = RangePlanner(size: UInt64(size), done: 0)
        var (time, window) = (0.0, Window())
        var pulled: [Pulled] = []
        var landed = 0
        while !planner.isComplete, time < 2000 {
            while let range = planner.nextRange() { pulled.append(Pulled(range: range, asked: time)) }
            time += Self.step
            window.advance(to: time, self)
            send(&window, &pulled, at: time)
            while landed < window.flights.count, window.flights[landed].arrives <= time {
                let flight = window.flights[landed]
                landed += 1
                pulled[flight.range].come += flight.bytes
                pulled[flight.range].firstBytes = pulled[flight.range].firstBytes ?? time
                let range = pulled[flight.range]
                guard range.come >= Double(range.range.length) - 0.5, planner.inFlight.contains(range.range) else {
                    continue
                }
                planner.finished(
                    range.range, after: .seconds(time - range.asked),
                    firstBytes: range.firstBytes.map { .seconds($0 - range.asked) })
            }
        }
        return time
    }

    private func send(_ window: inout Window, _ pulled: inout [Pulled], at time: Double) {
        var room = window.room(self)
        while room > 1 {
            let waiting = pulled.indices.filter {
                pulled[$0].asked + roundTrip / 2 <= time && pulled[$0].sent < Double(pulled[$0].range.length)
            }
            guard !waiting.isEmpty else { return }
            let share = room / Double(waiting.count)
            for index in waiting {
                let bytes = min(share, Double(pulled[index].range.length) - pulled[index].sent)
                pulled[index].sent += bytes
                room -= bytes
                window.send(bytes, of: index, at: time, self)
            }
        }
    }
}
