// The page about a key that answers in place of a contact's known one: both numbers, what it means, what can be done.

import ChatCore
import ChatWords

extension VerifyScreen {
    /// Everything when there is room; else without blank rows; at worst who it is, the new number and the answers.
    func changed(_ size: Size) -> [StyledLine] {
        let width = size.columns
        let old = named("old key", numberLines(pane.number, "old key", width: width), width)
        var new = named("new key", numberLines(pane.newNumber, "new key", width: width), width)
        if pane.newNumber == nil { new = [StyledLine("Computing the new number…", Theme.quiet)] }
        let all = naming + meaning(width) + [StyledLine()] + old + new + [StyledLine()] + changedAnswers(width)
        if all.count <= size.rows { return all }
        let tight = all.filter { $0.width > 0 }
        return tight.count <= size.rows ? tight : naming + new + changedAnswers(width)
    }

    /// Where the number takes whole rows, its name is shown above it.
    private func named(_ word: String, _ lines: [StyledLine], _ width: Int) -> [StyledLine] {
        width >= 50 || lines.isEmpty ? lines : [StyledLine(word, Theme.quiet)] + lines
    }

    private func meaning(_ width: Int) -> [StyledLine] {
        guard width >= 62 else {
            return [
                StyledLine("Another key answers. Sending stopped.", Theme.error),
                StyledLine("A new machine, or somebody between?"),
            ]
        }
        return [
            StyledLine("A different key answers in their place. Nothing goes out until", Theme.error),
            StyledLine("you decide. Either they have a new machine or reinstalled, or"),
            StyledLine("somebody is in between. Ask them by phone or in person which"),
            StyledLine("number their screen shows, never over this connection."),
        ]
    }

    private func changedAnswers(_ width: Int) -> [StyledLine] {
        let isWide = width >= 62
        return [
            answer(
                isWide ? "1  The new one matches → accepted and verified" : "1  new one matches: verified",
                .numbersMatch),
            answer(
                isWide ? "2  It differs          → refused, the contact is blocked" : "2  differs: blocked",
                .numbersDiffer),
            answer(isWide ? "a  Accept unchecked    → accepted, unverified" : "a  accept, unverified", .acceptRequest),
            answer(
                isWide ? "o  The old one matches → verified, the new one is forgotten" : "o  old one matches: verified",
                .oldNumberMatches),
            answer(isWide ? "3  Later               → nothing goes out until then" : "3  later", .decideLater),
        ]
    }
}
