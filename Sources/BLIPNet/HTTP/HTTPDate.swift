// The dates in cookies (RFC 6265 section 5.1.1), which servers write in several ways.

/// Reads a date of the Gregorian calendar in GMT.
enum HTTPDate {
    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    /// Seconds since 1970; `nil` when `text` is no date.
    static func seconds(_ text: String) -> Int64? {
        var time: [Int]?
        var day: Int?
        var month: Int?
        var year: Int?
        let isSeparator: (UInt8) -> Bool = { byte in
            byte != UInt8(ascii: ":") && !HTTPSyntax.isDigit(byte)
                && !(UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
        }
        let words = text.utf8.map(HTTPSyntax.lowercased).split(whereSeparator: isSeparator)
        for word in words.prefix(16) {
            let name = String(decoding: word.prefix(3), as: UTF8.self)
            if time == nil, let found = clock(word) {
                time = found
            } else if day == nil, word.count <= 2, let number = Int(String(decoding: word, as: UTF8.self)) {
                day = number
            } else if month == nil, let index = months.firstIndex(of: name) {
                month = index + 1
            } else if year == nil, word.count == 2 || word.count == 4,
                let number = Int(String(decoding: word, as: UTF8.self))
            {
                year = word.count == 4 ? number : number + (number < 70 ? 2000 : 1900)
            }
        }
        guard let time, let day, let month, let year, (1...31).contains(day), (1601...9999).contains(year) else {
            return nil
        }
        return Int64(days(year: year, month: month, day: day)) * 86_400
            + Int64(time[0] * 3600 + time[1] * 60 + time[2])
    }

    /// Hours, minutes and seconds.
    private static func clock(_ word: ArraySlice<UInt8>) -> [Int]? {
        let parts = word.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        let numbers = parts.compactMap { $0.count <= 2 ? Int(String(decoding: $0, as: UTF8.self)) : nil }
        guard parts.count == 3, numbers.count == 3, numbers[0] < 24, numbers[1] < 60, numbers[2] < 60 else {
            return nil
        }
        return numbers
    }

    /// Days since 1 January 1970. The year begins in March, so that the leap day is its last.
    private static func days(year: Int, month: Int, day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let era = year / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
