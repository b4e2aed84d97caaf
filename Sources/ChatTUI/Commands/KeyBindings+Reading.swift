// The keys of browse mode, of the pages that are only read, and of the questions in the place of the input.

extension KeyBindings {
    static let reading: [KeyBinding] = browse + reader + prompt

    private static let browse = [
        line(.browse, ["j", "Down"], .down, .browse, "next/previous", shownAs: "j/k", hint: "move"),
        line(.browse, ["k", "Up"], .up, .browse, nil),
        line(.browse, ["J", "Ctrl-d"], .halfPageDown, .browse, "half a page", shownAs: "J/K"),
        line(.browse, ["K", "Ctrl-u"], .halfPageUp, .browse, nil),
        line(.browse, ["g", "Home"], .top, .browse, "oldest/newest", shownAs: "g/G"),
        line(.browse, ["G", "End"], .bottom, .browse, nil),
        line(.browse, ["Enter"], .choose, .browse, "open, or accept offer", hint: "act"),
        line(.browse, ["/"], .findOlder, .browse, "find older/newer", shownAs: "/ ?", hint: "find"),
        line(.browse, ["?"], .findNewer, .browse, nil),
        line(.browse, ["n"], .nextHit, .browse, "next/previous hit", shownAs: "n/N"),
        line(.browse, ["N"], .previousHit, .browse, nil),
        line(.browse, ["t"], .goToDate, .browse, "go to a day"),
        line(.browse, ["u"], .firstUnread, .browse, "first unread"),
        line(.browse, ["U"], .markUnread, .browse, "unread from here"),
        line(.browse, ["r"], .replyTo, .browse, "reply", hint: "reply"),
        line(.browse, ["e"], .editMessage, .browse, "edit", hint: "edit"),
        line(.browse, ["d"], .deleteMessage, .browse, "delete (asks once)", hint: "delete"),
        line(.browse, ["+"], .react, .browse, "react", hint: "react"),
        line(.browse, ["f"], .forward, .browse, "forward"),
        line(.browse, ["y"], .copyText, .browse, "copy", hint: "copy"),
        line(.browse, ["Y"], .copyWithName, .browse, "copy with time and name"),
        line(.browse, ["s"], .saveFile, .browse, "save the file"),
        line(.browse, ["o"], .openMessage, .browse, "open file or link"),
        line(.browse, ["i"], .messageInfo, .browse, "about the message", hint: "info"),
        line(.browse, ["v"], .selectRange, .browse, "select a range"),
        line(.browse, ["p"], .pin, .browse, "pin"),
        line(.browse, ["q", "Tab"], .closePane, .browse, "back to the input"),
    ]

    private static let reader = [
        line(.reader, ["j", "Down", "Enter"], .down, .lists, "move in a page", shownAs: "j/k", hint: "move"),
        line(.reader, ["k", "Up"], .up, .lists, nil),
        line(.reader, ["PgDn", "Space"], .pageDown, .lists, nil),
        line(.reader, ["PgUp"], .pageUp, .lists, nil),
        line(.reader, ["J", "Ctrl-d"], .halfPageDown, .lists, nil),
        line(.reader, ["K", "Ctrl-u"], .halfPageUp, .lists, nil),
        line(.reader, ["g", "Home"], .top, .lists, nil),
        line(.reader, ["G", "End"], .bottom, .lists, nil),
        line(.reader, ["y"], .copyText, .lists, nil, hint: "copy"),
        line(.reader, ["/"], .filterList, .lists, nil, hint: "filter"),
        line(.reader, ["q", "Tab"], .closePane, .lists, nil),
    ]

    private static let prompt = [line(.prompt, ["Enter"], .choose, .lists, nil, hint: "go")]
}
