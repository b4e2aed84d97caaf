// Times as text.

import CLinux
import ChatCore
import Glibc
import TestSupport
import Testing

@testable import ChatHost

@Suite struct RFC3339Tests {
    @Test("writes UTC with milliseconds, also before 1970 and on leap days")
    func writing() {
        #expect(RFC3339.text(Timestamp(milliseconds: 0)) == "1970-01-01T00:00:00.000Z")
        #expect(RFC3339.text(Timestamp(milliseconds: -1)) == "1969-12-31T23:59:59.999Z")
        #expect(RFC3339.text(Timestamp(milliseconds: 951_782_400_000)) == "2000-02-29T00:00:00.000Z")
        #expect(RFC3339.text(Timestamp(milliseconds: 1_795_251_723_456)) == "2026-11-21T09:02:03.456Z")
    }

    @Test("clamps times that no calendar has")
    func clamping() {
        #expect(RFC3339.text(Timestamp(milliseconds: .max)) == "9999-12-31T23:59:59.999Z")
        #expect(RFC3339.text(Timestamp(milliseconds: .min)) == "0000-01-01T00:00:00.000Z")
    }

    @Test("times for people are right up to the ends of the calendar")
    func localTimes() {
        func local(_ text: String, _ offset: Int64) -> String? {
            RFC3339.read(text).map { LocalTime.text($0, offset: { _ in offset }) }
        }
        #expect(local("9999-12-31T23:59:59Z", 0) == "9999-12-31 23:59")
        #expect(local("9999-12-31T23:59:59Z", 3600) == "10000-01-01 00:59")
        #expect(local("9999-12-31T23:59:59Z", -3600) == "9999-12-31 22:59")
        #expect(local("0001-01-01T00:00:00Z", 3208) == "0001-01-01 00:53")
        #expect(local("0000-01-01T00:00:00Z", -3600) == "0000-01-01 00:00")
        #expect(local("1969-12-31T23:59:59Z", 0) == "1969-12-31 23:59")
        for end in [Int64.min, Int64.max] {
            #expect(!LocalTime.text(Timestamp(milliseconds: end), offset: { _ in 86_399 }).isEmpty)
        }
    }

    @Test("reads what it writes", arguments: 0..<300)
    func roundTrip(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let time = Timestamp(milliseconds: .random(in: -62_167_219_200_000...253_402_300_799_999, using: &generator))
        #expect(RFC3339.read(RFC3339.text(time)) == time)
    }

    @Test(
        "a local day begins where it begins on the screen, also where midnight is skipped or comes twice",
        arguments: [
            ("<-04>4<-03>,M9.1.0/0,M4.1.0/0", "2026-09-06", "2026-09-06T04:00:00Z"),
            ("<+02>-2<+03>,M3.5.0/0,M10.5.0/0", "2026-03-29", "2026-03-28T22:00:00Z"),
            ("<+01>-1<+02>,M3.5.0/0,M10.5.0/1", "2026-10-25", "2026-10-24T22:00:00Z"),
            ("<+01>-1<+02>,M3.5.0/2,M10.5.0/3", "2026-03-29 02:30", "2026-03-29T01:00:00Z"),
        ])
    func localDaysInOwnProcess(zone: String, local: String, moment: String) async {
        await #expect(processExitsWith: .success) {
            [zone = zone as String, local = local as String, moment = moment as String] in
            setenv("TZ", zone, 1)
            tzset()
            #expect(RFC3339.read(local) == RFC3339.read(moment))
        }
    }

    @Test("reads offsets and fractions")
    func offsets() {
        #expect(RFC3339.read("1970-01-01T01:00:00+01:00") == Timestamp(milliseconds: 0))
        #expect(RFC3339.read("1969-12-31T19:00:00.25-05:00") == Timestamp(milliseconds: 250))
        #expect(RFC3339.read("1970-01-02T00:00Z") == Timestamp(milliseconds: 86_400_000))
        #expect(RFC3339.read("2026-11-21") != nil)
    }

    @Test(
        "refuses what is no time",
        arguments: [
            "", "2026", "2026-13-01", "2026-02-29", "2026-00-10", "2026-11-21T", "2026-11-21T24:00Z",
            "2026-11-21T10:60Z",
            "2026-11-21T10:00:00.Z", "2026-11-21T10:00Zx", "+026-11-21", "2026-11-21T10:00+1:00", "20261121",
        ])
    func refusals(text: String) { #expect(RFC3339.read(text) == nil) }
}
