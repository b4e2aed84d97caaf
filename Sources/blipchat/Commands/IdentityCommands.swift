// `blipchat id`: who we are, for others to add us.

import BLIPNet
import ChatCore
import ChatHost
import ChatSettings
import ChatTUI
import ChatWords
import Storage

struct IdentityCommand: Command {
    let context: CommandContext

    func run() async throws(CommandError) -> ExitCode {
        let (fingerprint, address) = try await OwnAddress(context: context).found()
        if context.isJSON {
            try context.streams.json(
                .record([
                    "v": 1, "type": "identity", "peer_id": .string(PeerID(fingerprint).text),
                    "name": .string(address.name ?? ""), "address": .string("\(address)"),
                    "fingerprint": .string(fingerprint.bytes.hex),
                ]))
        } else {
            try context.streams.line("\(address)")
        }
        if !address.leadsOutside { context.streams.note(ReachWords.unreachable) }
        return .done
    }
}

struct IdentityCodeCommand: Command {
    let context: CommandContext

    /// The address as a QR code. The colours are set so that it is light around dark on any terminal.
    func run() async throws(CommandError) -> ExitCode {
        let address = try await OwnAddress(context: context).found().address
        let code: QRCode
        do throws(QRCodeError) { code = try QRCode("\(address)") } catch {
            throw CommandError(
                error == .noLibrary ? .localIO : .usage, "\(address)", error.reason, advice: error.advice)
        }
        if context.isJSON {
            let rows = (0..<code.size).map { row in
                (0..<code.size).map { code.isDark(column: $0, row: row) ? "1" : "0" }.joined()
            }
            try context.streams.json(
                .record([
                    "v": 1, "type": "qr", "address": .string("\(address)"),
                    "rows": .array(rows.map(JSONValue.string)),
                ]))
            return .done
        }
        guard !context.streams.isASCII else {
            throw CommandError(
                .localIO, "standard output", "the terminal's locale is not UTF-8, so nobody could scan the code",
                advice: "id show prints the address")
        }
        for line in code.halfBlocks {
            try context.streams.line(context.streams.usesColor ? "\u{1B}[97;40m\(line)\u{1B}[0m" : line)
        }
        try context.streams.line("\(address)")
        return .done
    }
}

struct FingerprintCommand: Command {
    let context: CommandContext

    func run() throws(CommandError) -> ExitCode {
        let fingerprint = try OwnAddress(context: context).fingerprint(try context.paths()).bytes.hex
        if context.isJSON {
            try context.streams.json(.record(["v": 1, "type": "fingerprint", "fingerprint": .string(fingerprint)]))
        } else {
            try context.streams.line(fingerprint)
        }
        return .done
    }
}

/// Our key, and the address under which others reach us, as far as it is known here.
private struct OwnAddress {
    let context: CommandContext

    func found() async throws(CommandError) -> (fingerprint: SPKIFingerprint, address: PeerAddress) {
        let paths = try context.paths()
        let fingerprint = try fingerprint(paths)
        let settings = try context.configuration(paths)
        let name = settings.ownName(in: paths, environment: context.environment)
        let peerID = PeerID(fingerprint)
        var listen = settings.listen ?? Configuration.standardListen
        if case .host(let host, port: 0) = listen, let port = try await lastPort(paths) {
            listen = .host(host, port: port)
        }
        var address = PeerAddress.ofListener(at: listen, peerID: peerID, name: name)
        // A running instance knows better where it listens: the port may be any free one.
        if let running = try await AttachedService.find(at: paths.socket, as: .visitor(patience: .seconds(5))) {
            let identity = running.chat.identity
            if let text = identity.address.map({ "\($0)" }), let running = try? PeerAddress(parsing: text) {
                address = running
            }
            address.name = identity.name
        }
        return (fingerprint, address)
    }

    /// The port of the last run, which the next one takes again if it can.
    private func lastPort(_ paths: HomePaths) async throws(CommandError) -> UInt16? {
        let text = try await HistoryFile.read(paths) { store throws(StoreError) in
            try await store.setting(ChatClient.lastPortSetting)
        }
        return text?.flatMap { UInt16($0) }
    }

    /// Our fingerprint; makes the key where there is none. A key with a passphrase stays closed.
    func fingerprint(_ paths: HomePaths) throws(CommandError) -> SPKIFingerprint {
        try paths.createFolders()
        context.noteLostKey(paths)
        return try paths.fingerprintMakingKey()
    }
}

extension HomePaths {
    /// Our fingerprint; makes the key where there is none. A key with a passphrase stays closed.
    func fingerprintMakingKey() throws(CommandError) -> SPKIFingerprint {
        do throws(IdentityError) {
            if let fingerprint = try IdentityFile.fingerprint(at: identity) { return fingerprint }
            return try IdentityFile.loadOrCreate(at: identity).fingerprint
        } catch {
            throw CommandError(error)
        }
    }
}

extension CommandContext {
    /// A history without its key: the one that is made makes us somebody else.
    func noteLostKey(_ paths: HomePaths) {
        guard !paths.hasIdentity, SmallFile.exists(paths.history) else { return }
        streams.note(
            "blipchat: there is a history here, but no key; blipchat creates a new one, and contacts see KEY CHANGED "
                + "(blipchat id restore FILE brings the old one back)")
    }
}
