// Times and dates on the screen: `[ui] time`, `date` and `seconds`.

import ChatCore
import ChatWords

extension AppState {
    /// The time beside a message; `inColumn`: as wide as that of any other.
    func timeText(_ time: Timestamp, inColumn: Bool = false) -> String {
        var format = settings.timeFormat
        if settings.seconds, !format.contains("s") {
            let minutes = format.lastIndex(of: "m").map { format.index(after: $0) } ?? format.endIndex
            format.insert(contentsOf: ":ss", at: minutes)
        }
        return clock.text(time, format: format, padded: inColumn)
    }

    /// The time where it is drawn anew once a minute at most: without seconds.
    func minuteText(_ time: Timestamp) -> String {
        settings.timeFormat.contains("s") ? clock.time(time) : clock.text(time, format: settings.timeFormat)
    }

    /// The day on a line of its own.
    func dayText(_ time: Timestamp) -> String { clock.text(time, format: settings.dateFormat) }

    /// To the second, for the info of a message.
    func exactTime(_ time: Timestamp) -> String { clock.text(time, format: "EEE d MMM yyyy HH:mm:ss") }
}
