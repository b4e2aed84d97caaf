// The keys of lists and panes, which count only while one of them is open. Their hints are on the hint line then.

import ChatWords

extension KeyBindings {
    static let panes: [KeyBinding] = search + transfers + picker + requests + verify + decision + list + filter

    private static let list = [
        line(.list, ["Enter"], .choose, .lists, "run or open", hint: "run"),
        line(.list, ["Tab"], .nextGroup, .lists, "next group", hint: "next group"),
        line(.list, ["Up", "Ctrl-p"], .up, .lists, "move", shownAs: "Up/Down", hint: "move"),
        line(.list, ["Down", "Ctrl-n"], .down, .lists, nil),
        line(.typed, ["Ctrl-r"], .down, .lists, nil),
        // As in the shells whose key Ctrl-r is.
        line(.typed, ["Ctrl-g"], .back, .lists, nil),
        line(.list, ["PgUp"], .pageUp, .lists, nil),
        line(.list, ["PgDn"], .pageDown, .lists, nil),
    ]

    private static let filter = [
        line(.filter, ["Enter"], .choose, .lists, nil, hint: "keep the filter"),
        line(.filter, ["Up", "Ctrl-p"], .up, .lists, nil, shownAs: "Up/Down", hint: "move"),
        line(.filter, ["Down", "Ctrl-n"], .down, .lists, nil),
        line(.filter, ["PgUp"], .pageUp, .lists, nil),
        line(.filter, ["PgDn"], .pageDown, .lists, nil),
    ]

    private static let search = [
        line(.search, ["Up", "Ctrl-p"], .up, .search, "move", shownAs: "Up/Down", hint: "move"),
        line(.search, ["Down", "Ctrl-n"], .down, .search, nil),
        line(.search, ["PgUp"], .pageUp, .search, nil),
        line(.search, ["PgDn"], .pageDown, .search, nil),
        line(.search, ["Enter"], .choose, .search, "jump to the hit", hint: "jump"),
        line(.search, ["Tab"], .complete, .search, "complete a name"),
        line(.search, ["Alt-c"], .searchScope, .search, "this chat or all", hint: "this chat"),
        line(.search, ["F1"], .searchSyntax, .search, "syntax", hint: "syntax"),
    ]

    private static let transfers = [
        line(.transfers, ["j", "Down", "Ctrl-n"], .down, .transfers, "move", shownAs: "j/k", hint: "move"),
        line(.transfers, ["k", "Up", "Ctrl-p"], .up, .transfers, nil),
        line(.transfers, ["g", "Home"], .top, .transfers, "first/last", shownAs: "g/G"),
        line(.transfers, ["G", "End"], .bottom, .transfers, nil),
        line(.transfers, ["p"], .pauseOrResume, .transfers, "pause or resume", hint: "pause/resume"),
        line(.transfers, ["x"], .cancelTransfer, .transfers, "cancel (asks)", hint: "cancel"),
        line(.transfers, ["a"], .acceptTransfer, .transfers, "accept the offer", hint: "accept"),
        line(.transfers, ["n"], .declineTransfer, .transfers, "decline the offer", hint: "decline"),
        line(.transfers, ["o"], .openTransfer, .transfers, "open the file", hint: "open"),
        line(.transfers, ["y"], .copyHash, .transfers, "copy the hash"),
        line(.transfers, ["Enter"], .choose, .transfers, "details", hint: "details"),
        line(.transfers, ["/"], .filterList, .transfers, "filter", hint: "filter"),
        line(.transfers, ["L"], .limitRate, .transfers, "limit the rate", hint: "limit"),
        line(.transfers, ["PgUp"], .pageUp, .transfers, nil),
        line(.transfers, ["PgDn"], .pageDown, .transfers, nil),
        line(.transfers, ["q"], .closePane, .transfers, nil),
    ]

    private static let requests = [
        line(.requests, ["a"], .acceptRequest, .requests, "accept", hint: "accept"),
        line(.requests, ["r"], .refuseRequest, .requests, "refuse", hint: "refuse"),
        line(.requests, ["Enter"], .choose, .requests, "compare numbers", hint: "compare"),
        line(.requests, ["b"], .blockRequest, .requests, "refuse forever", hint: "block"),
        line(.requests, ["/"], .filterList, .requests, "filter", hint: "filter"),
        line(.requests, ["j", "Down", "Ctrl-n"], .down, .requests, "move", shownAs: "j/k", hint: "move"),
        line(.requests, ["k", "Up", "Ctrl-p"], .up, .requests, nil),
        line(.requests, ["q"], .closePane, .requests, nil),
    ]

    private static let picker = [
        line(.picker, ["Enter"], .choose, .picker, "open or send", hint: "open/send"),
        line(.picker, ["Tab", "Ctrl-Space"], .markFile, .picker, "mark several", hint: "mark"),
        line(.picker, ["Alt-Enter"], .sendMarked, .picker, "send a folder", hint: "send folder"),
        line(.picker, ["Alt-."], .hiddenFiles, .picker, "hidden files", hint: "hidden"),
        line(.picker, ["Up", "Ctrl-p"], .up, .picker, nil),
        line(.picker, ["Down", "Ctrl-n"], .down, .picker, nil),
        line(.picker, ["PgUp"], .pageUp, .picker, nil),
        line(.picker, ["PgDn"], .pageDown, .picker, nil),
        line(.picker, ["Ctrl-t"], .sendFile, .picker, nil),
    ]

    private static let decision =
        [
            line(.decision, ["1"], .numbersMatch, .verify, nil, hint: "match"),
            line(.decision, ["2"], .numbersDiffer, .verify, nil, hint: "differ"),
            line(.decision, ["3", "a"], .decideLater, .verify, nil, hint: "later (marked unverified)"),
            line(.decision, ["b"], .blockRequest, .verify, nil, hint: "block"),
            line(.decision, ["r"], .refuseRequest, .verify, nil),
            line(.decision, ["q"], .closePane, .verify, nil),
        ] + scrolling(.decision)

    /// In a window that does not show the whole page.
    private static func scrolling(_ context: KeyContext) -> [KeyBinding] {
        [
            line(context, ["j", "Down"], .down, .verify, nil),
            line(context, ["k", "Up"], .up, .verify, nil),
            line(context, ["PgDn"], .pageDown, .verify, nil),
            line(context, ["PgUp"], .pageUp, .verify, nil),
        ]
    }

    private static let verify =
        [
            line(.verify, ["1"], .numbersMatch, .verify, "the numbers match", hint: "match"),
            line(.verify, ["2", "b"], .numbersDiffer, .verify, "they differ", hint: "differ"),
            line(.verify, ["a"], .acceptRequest, .verify, nil, hint: "accept unverified"),
            line(.verify, ["o"], .oldNumberMatches, .verify, nil, hint: "old matches"),
            line(.verify, ["3", "q"], .decideLater, .verify, "later", hint: "later (stays as it is)"),
        ] + scrolling(.verify)
}
