// Slash commands about files.

import ChatCore

extension AppState {
    mutating func runFiles(_ verb: SlashVerb, _ scanner: inout ArgumentScanner, _ effects: inout [AppEffect]) {
        switch verb {
        case .send:
            guard let openID else {
                note("No chat is open: /query WHO opens one", isError: true)
                return
            }
            var paths: [String] = []
            var caption: String?
            while caption == nil, let word = scanner.next() {
                if word == "--" { caption = scanner.remainder() ?? "" } else { paths.append(expanded(word)) }
            }
            if paths.isEmpty, caption == nil { return showFilePicker(&effects) }
            guard !paths.isEmpty else {
                note("Which file is it about? /send PATH -- TEXT", isError: true)
                return
            }
            effects.append(.run(.sendFiles(paths, caption: caption ?? "", to: openID)))
        case .accept:
            let (number, rest) = transferNumber(&scanner) { $0.state == .offered && $0.direction == .incoming }
            guard let number else { return }
            effects.append(.run(.accept(number, folder: rest.map(expanded))))
        case .decline: runOne(&scanner, &effects, { $0.state == .offered && $0.direction == .incoming }, Errand.decline)
        case .pause: runOne(&scanner, &effects, { $0.state == .running || $0.state == .accepted }, Errand.pause)
        case .resume: runOne(&scanner, &effects, { $0.state == .paused }, Errand.resume)
        case .cancel: runOne(&scanner, &effects, { !$0.state.isFinal }, Errand.cancel)
        case .limit: limitRate(&scanner, &effects)
        default: showTransfers(scanner.remainder() ?? "")
        }
    }

    /// `/limit up|down|N RATE|off`
    private mutating func limitRate(_ scanner: inout ArgumentScanner, _ effects: inout [AppEffect]) {
        guard let scope = scanner.next().flatMap(RateScope.init(words:)), let word = scanner.next() else {
            note(
                "/limit up|down|N RATE: a rate is in bytes per second, like 500k (k is 1000, Ki 1024), or off",
                isError: true)
            return
        }
        let rate = Units.bytes(of: word)
        guard rate != nil || word.lowercased() == "off" else {
            note("\(SafeText(word, as: .name).text) is not a rate (500k, 2M, off)", isError: true)
            return
        }
        effects.append(.run(.limitRate(scope, rate.flatMap { $0 > 0 ? $0 : nil })))
    }

    private mutating func runOne(
        _ scanner: inout ArgumentScanner, _ effects: inout [AppEffect], _ fits: (FileTransfer) -> Bool,
        _ make: (TransferNumber) -> Errand
    ) {
        if let number = transferNumber(&scanner, fits).0 { effects.append(.run(make(number))) }
    }

    /// The transfer that is named (`8`, `#8`), else the only one that fits. What follows is returned beside it.
    private mutating func transferNumber(
        _ scanner: inout ArgumentScanner, _ fits: (FileTransfer) -> Bool
    ) -> (TransferNumber?, String?) {
        let word = scanner.next()
        if let word, let value = Int64(word.hasPrefix("#") ? String(word.dropFirst()) : word) {
            return (TransferNumber(value), scanner.next())
        }
        let candidates = transfers.unfinished.filter(fits)
        if candidates.count == 1, let only = candidates.first { return (only.number, word) }
        if candidates.isEmpty {
            note("There is no such transfer (/transfers lists them)", isError: true)
        } else {
            let numbers = candidates.map { "#\($0.number.rawValue)" }.joined(separator: ", ")
            note("Which one? \(numbers)", isError: true)
        }
        return (nil, nil)
    }
}
