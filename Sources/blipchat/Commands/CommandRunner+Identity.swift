// `blipchat id`: who we are, for others to add us.

import BLIPNet
import ChatCore
import Storage

extension CommandRunner {
    func showIdentity() async throws(CommandError) -> ExitCode {
        let paths = try paths()
        let identity = try loadIdentity(paths)
        let settings = try configuration(paths)
        var name = settings.name ?? Configuration.defaultName(environment: environment)
        let peerID = PeerID(identity.fingerprint)
        var listen = settings.listen ?? Configuration.standardListen
        if case .host(let host, port: 0) = listen, let port = try await lastPort(paths) {
            listen = .host(host, port: port)
        }
        var address = PeerAddress.ofListener(at: listen, peerID: peerID, name: name)
        // A running instance knows better where it listens: the port may be any free one.
        if let status = await runningStatus(paths) {
            name = status["name"]?.stringValue ?? name
            if let text = status["address"]?.stringValue, let running = try? PeerAddress(parsing: text) {
                address = running
            }
        }
        if isJSON {
            try streams.json(
                .record([
                    "v": 1, "type": "identity", "peer_id": .string(peerID.text), "name": .string(name),
                    "address": .string("\(address)"), "fingerprint": .string(identity.fingerprint.bytes.hex),
                ]))
        } else {
            try streams.line("\(address)")
        }
        return .done
    }

    /// The port of the last run, which the next one takes again if it can.
    private func lastPort(_ paths: HomePaths) async throws(CommandError) -> UInt16? {
        let text = try await HistoryFile.read(paths) { store throws(StoreError) in
            try await store.setting(ChatClient.lastPortSetting)
        }
        return text?.flatMap { UInt16($0) }
    }

    func showFingerprint() throws(CommandError) -> ExitCode {
        let fingerprint = try loadIdentity(try paths()).fingerprint.bytes.hex
        if isJSON {
            try streams.json(.record(["v": 1, "type": "fingerprint", "fingerprint": .string(fingerprint)]))
        } else {
            try streams.line(fingerprint)
        }
        return .done
    }

    private func loadIdentity(_ paths: HomePaths) throws(CommandError) -> TLSIdentity {
        try paths.createFolders()
        do {
            return try IdentityFile.loadOrCreate(at: paths.identity)
        } catch {
            throw CommandError(error)
        }
    }
}
