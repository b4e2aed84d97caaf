// The sentences for people: what happened, to what, what to do. Used by the screen and by the command line.

public import ChatCore
import Glibc

/// Words for errors and states. Strings from outside are quoted as they are: whoever shows a sentence makes a SafeText
/// of it.
public enum Sentences {
    /// `what: why (what to do)` for an error of the chat.
    public static func sentence(for error: ChatError, doing what: String) -> String {
        "\(what): \(reason(of: error))"
    }

    /// Why, and what to do.
    public static func reason(of error: ChatError) -> String {
        switch error {
        case .store(let error): return reason(of: error)
        case .badAddress(let error): return reason(of: error)
        case .ownAddress: return "that is your own address (ask the other person for theirs)"
        case .noSuchContact: return "there is no such contact (/contacts lists them)"
        case .noSuchTransfer: return "there is no such transfer (/transfers lists them)"
        case .noSuchRequest: return "there is no such request (/requests lists them)"
        case .noSuchAddress: return "they have no such address (/whois shows those they have)"
        case .noSuchKey: return "that key is not to be decided about (another contact has it, or another answers)"
        case .newKeyOf(let name):
            let shown = SafeText(name, as: .name).text
            return
                "this is the new key of \(shown) (/verify \(shown) decides about it; contacts accept-key on the command line)"
        case .noSuchMessage: return "there is no such message any more (somebody has deleted it here)"
        case .notOwnMessage: return "it is not your message (only own messages can be changed)"
        case .retracted: return "it has been deleted already"
        case .notText: return "a file has no text to edit (delete it, or offer another)"
        case .badReaction: return "that is no reaction (one emoji, at most \(Reaction.limit) bytes)"
        case .textTooLong(let bytes, let limit):
            return "the message has \(bytes) bytes, at most \(limit) can be sent (send it as a file)"
        case .idTaken(let id): return "another message has the id \(id) (give a new one)"
        case .emptyText: return "the message is empty (type something)"
        case .badName(let name):
            let isWord = ["me", "all"].contains(name.lowercased())
            if isWord { return "\"\(name)\" has a meaning of its own (choose another name)" }
            return "\"\(name)\" cannot be a name (1 to 64 bytes, no control characters)"
        case .cannotKeepSettings(let reason):
            return "what is set for them would be lost, \(reason) (the name stays as it is)"
        case .badFileName(let name):
            let limit = name.contains("/") ? "leave the / out" : "1 to 255 bytes, and not . or .."
            return "\"\(name)\" cannot be the name of a file (\(limit))"
        case .cannotRead(let path, let errno): return "cannot read \(path): \(words(forErrno: errno))"
        case .outOfReach(let path):
            return
                "blipchat serve keeps itself to what it could see when it was started, and \(path) is not of it (start serve again, or switch security.sandbox off)"
        case .notARegularFile(let path): return "\(path) is not a regular file (only files and folders can be sent)"
        case .privateFile(let path):
            return "\(path) is your key or your history, which nobody is given (blipchat export writes a conversation)"
        case .emptyFolder(let path): return "\(path) holds no file that can be sent (put one into it first)"
        case .tooManyFiles(let path, let limit):
            return "\(path) holds more files than may wait for this contact, \(limit) (pack it into an archive first)"
        case .cannotWrite(let path, let errno):
            return "cannot write to \(path): \(words(forErrno: errno)) (choose another folder)"
        case .notEnoughSpace(let needed, let free, let folder):
            return
                "disk full: needs \(Units.size(needed)), \(Units.size(free)) free on \(folder) (make room, then try again)"
        case .wrongTransferState(let state): return "the transfer is \(word(for: state))"
        case .ownTransfer: return "you have offered it yourself: they answer it (cancelling takes it back)"
        case .outboxFull(let limit): return "\(limit) messages wait for this contact already (wait until some are sent)"
        case .blocked: return "the contact is blocked (unblock it first)"
        case .notOnline: return "there is no connection (/connect calls, /status says why)"
        case .cannotListen(let endpoint, let reason):
            return "cannot listen on \(endpoint): \(reason) (choose another address or port)"
        case .instanceLost(let reason):
            return
                "the blipchat that runs the chat cannot be asked: \(reason) (start blipchat serve again, or start anew)"
        case .instanceStopped:
            return "the blipchat that runs the chat is stopped (fg in its shell lets it go on)"
        }
    }

    public static func reason(of error: StoreError) -> String {
        switch error {
        case .nameTaken(let name): "a contact is called \"\(name)\" already (choose another name)"
        case .notFound: "it is not in the history any more (somebody has deleted it here)"
        case .diskFull: "the disk is full; nothing was changed (make room and try again)"
        case .locked: "another process holds the history (end it, or wait)"
        case .damaged("history", let reason):
            "history is damaged: \(reason) (doctor names the row; doctor --fix puts something readable there)"
        case .damaged(let path, let reason):
            "\(path) is damaged: \(reason) (doctor --recover saves what can be read; history and export show it while the file opens)"
        case .newerVersion(let path, let found, let supported):
            "\(path) was written by a newer blipchat (version \(found), this one knows \(supported); update blipchat)"
        case .cannotOpen(let path, let reason) where reason == StoreError.fileExists:
            "\(path): \(reason) (give another name)"
        case .cannotOpen(let path, let reason):
            "cannot open \(path): \(reason) (look at the folder and its permissions)"
        case .replaced(let path, let kept):
            "another file has taken the place of \(path) while blipchat was running, so nothing is stored any more; everything until then is in \(kept) (stop blipchat, decide which of the two you want there, start it again)"
        case .failed(let code, let reason): "the history reports error \(code): \(reason) (doctor examines it)"
        }
    }

    public static func reason(of error: PeerAddressError) -> String {
        switch error {
        case .tooLong: "the address is longer than 1024 bytes"
        case .wrongScheme(let scheme): "an address begins with blip://, not with \(scheme)://"
        case .badHost(let host): "\"\(host)\" is not HOST:PORT"
        case .badPeerID(let id): "\"\(id)\" is not a peer id (52 letters and digits; was it cut off?)"
        case .badName: "the name in the address cannot be read"
        }
    }

    /// A whole sentence about an address that somebody typed.
    public static func sentence(for error: PeerAddressError) -> String {
        "That is not an address: \(reason(of: error)) (blip://HOST:PORT/PEER-ID#NAME)"
    }

    public static func sentence(for notice: ChatNotice, name: (ContactID) -> String) -> String {
        switch notice {
        case .cannotListen(let endpoint, let reason):
            "Cannot listen on \(endpoint): \(reason) (nobody can call you; choose another address or port)"
        case .listensElsewhere(let wanted, let reason, let listening):
            "Cannot listen on \(wanted): \(reason). Listening on \(listening) instead (/myid shows your address)"
        case .keyChanged(let contact):
            "KEY CHANGED (/verify): \(name(contact)) has another key; sending has stopped"
        case .storeFailed(let error): "The history cannot be written: \(reason(of: error))"
        case .peerCannotStore(let contact):
            "\(name(contact)) cannot store messages (disk full there): they wait here and go out when there is room"
        case .contactStoresTooMuch(let contact, let limit?):
            "\(name(contact)) has sent more than \(Units.size(limit)) of messages today: the rest waits with them until tomorrow (/block stops them, limits.stored_bytes_per_day is the limit)"
        case .contactStoresTooMuch(let contact, nil):
            "Your disk is nearly full: what \(name(contact)) sends waits with them until there is room (doctor shows how much is free)"
        case .historyPutBack(let path):
            "\(path) was removed while blipchat was running: it has been put back with everything in it (does another program tidy up there?)"
        case .instanceLost:
            "The blipchat that runs the chat has ended: nothing is sent or received until it runs again (blipchat serve)"
        case .instanceFound: "The chat runs again"
        case .instanceSilent:
            "The blipchat that runs the chat does not answer; what you write waits for it (is it stopped? fg lets it go on)"
        case .settingsChanged: "The settings have changed"
        case .instanceHere: "The other blipchat has ended: the chat goes on here"
        }
    }

    /// What the system says to an error number, in its words.
    public static func words(forErrno errno: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard strerror_r(errno, &buffer, buffer.count) == 0 else { return "system error \(errno)" }
        let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self).lowercased()
    }
}

// MARK: Words for states

extension Sentences {
    public static func word(for trust: PeerTrust) -> String {
        switch trust {
        case .unverified: "unverified"
        case .verified: "verified"
        case .keyChanged: "KEY CHANGED"
        }
    }

    /// `online, TLS direct`, `connecting`, `offline: nobody listens there`.
    public static func words(for link: LinkState) -> String {
        switch link {
        case .offline(nil): "offline"
        case .offline(let reason?): "offline: \(reason)"
        case .connecting: "connecting"
        case .awaitingApproval: "waiting for their approval"
        case .online(let details): "online, \(words(for: details))"
        }
    }

    /// `TLS direct`, `TLS relay` or `PLAINTEXT direct`.
    static func words(for details: LinkDetails) -> String {
        (details.isEncrypted ? "TLS " : "PLAINTEXT ") + way(of: details)
            + (details.isRefusing ? ", THEIR DISK IS FULL" : "")
    }

    /// `direct`, or `relay` where a proxy stands between.
    static func way(of details: LinkDetails) -> String { details.isRelayed ? "relay" : "direct" }

    public static func word(for state: FileTransfer.State) -> String {
        switch state {
        case .offered: "offered"
        case .accepted: "accepted"
        case .running: "running"
        case .paused: "paused"
        case .declined: "declined"
        case .cancelled: "cancelled"
        case .complete: "complete"
        case .failed: "failed"
        }
    }

    /// `declined by the other side`, `failed: the disk is full`
    static func words(for state: FileTransfer.State, _ reason: String?) -> String {
        words(word(for: state), reason)
    }

    /// What became of a file, and why: `cancelled by the other side`, `stopped: disk full`, `failed, and sent again`.
    static func words(_ word: String, _ reason: String?) -> String {
        guard let reason else { return word }
        if reason == TransferReason.sentAgain { return "\(word), and \(reason)" }
        return reason.hasPrefix(word + " ") ? reason : "\(word): \(reason)"
    }

    /// `1 message missing`
    public static func missing(_ count: Int) -> String {
        count == 1 ? "1 message missing" : "\(count) messages missing"
    }

    /// News of a transfer that has just ended.
    static func ended(_ transfer: FileTransfer, with name: String) -> String {
        let file = "#\(transfer.number.rawValue) \(SafeText(transfer.name, as: .fileName).text)"
        return ended(file, transfer.state, transfer.reason, transfer.direction, with: name)
    }

    /// News of a folder whose last file has just ended.
    static func ended(_ group: TransferGroup, named words: TransferWords, with name: String) -> String {
        let folder = "#\(group.number.rawValue) \(words.name.text)"
        if let part = group.partlyDone { return "\(folder): \(part)" }
        return ended(folder, group.state, group.reason, group.direction, with: name)
    }

    private static func ended(
        _ file: String, _ state: FileTransfer.State, _ reason: String?, _ direction: MessageDirection, with name: String
    ) -> String {
        switch state {
        case .complete: direction == .incoming ? "\(file) is here" : "\(name) has \(file)"
        case .failed: "\(file) failed" + (reason.map { ": \($0)" } ?? "")
        default: "\(file): \(words(for: state, reason))"
        }
    }

    /// What is said after the screen is gone when something failed in its last moments.
    static let undone =
        "blipchat: not all that was begun was done, as nothing answered; lines that were typed are found by Up at the next start"

    /// What is said after the screen is gone (rule 6): `nil` when nothing waits.
    static func farewell(queued: Int, transfers: Int) -> String? {
        var parts: [String] = []
        // Edits, deletions and reactions wait like messages.
        if queued > 0 {
            parts.append(
                queued == 1
                    ? "1 message, file or change stays queued" : "\(queued) messages, files and changes stay queued")
        }
        if transfers > 0 {
            parts.append(transfers == 1 ? "1 transfer is unfinished" : "\(transfers) transfers are unfinished")
        }
        guard !parts.isEmpty else { return nil }
        return "blipchat: \(parts.joined(separator: ", ")); all of it goes on when blipchat runs again."
    }
}
