// The sentences for people: what happened, to what, what to do. Used by the screen and by the command line.

package import ChatCore
import Glibc

/// Words for errors and states. Strings from outside are quoted as they are: whoever shows a sentence makes a SafeText
/// of it.
package enum Sentences {
    /// `what: why (what to do)` for an error of the chat.
    package static func sentence(for error: ChatError, doing what: String) -> String {
        "\(what): \(reason(of: error))"
    }

    /// Why, and what to do.
    package static func reason(of error: ChatError) -> String {
        switch error {
        case .store(let error): return reason(of: error)
        case .badAddress(let error): return reason(of: error)
        case .ownAddress: return "that is your own address (ask the other person for theirs)"
        case .notReachable:
            return "nobody can call you now (let blipchat run, and listen or join a relay)"
        case .notMet(let failure): return ReachWords.words(for: failure)
        case .noSuchContact: return "there is no such contact (/contacts lists them)"
        case .noSuchTransfer: return "there is no such transfer (/transfers lists them)"
        case .noSuchRequest: return "there is no such request (/requests lists them)"
        case .noSuchAddress: return "they have no such address (/whois shows theirs)"
        case .noSuchKey:
            return "there is no such key to decide about (another contact has it, or a different key answers)"
        case .newKeyOf(let name):
            let shown = SafeText(name, as: .name).text
            return
                "this is the new key of \(shown) (/verify \(shown) to decide; contacts accept-key on the command line)"
        case .noSuchMessage: return "that message is gone (somebody deleted it here)"
        case .notOwnMessage: return "it is not your message (you can only change your own)"
        case .retracted: return "it is already deleted"
        case .notText: return "a file has no text to edit (delete it, or offer another)"
        case .badReaction: return "that is not a reaction (one emoji, at most \(Reaction.limit) bytes)"
        case .textTooLong(let bytes, let limit):
            return "the message has \(bytes) bytes, the limit is \(limit) (send it as a file)"
        case .idTaken(let id): return "another message has the id \(id) (use a new one)"
        case .emptyText: return "the message is empty (type something)"
        case .badName(let name):
            let isWord = ["me", "all"].contains(name.lowercased())
            if isWord { return "\"\(name)\" is reserved (choose another name)" }
            return "\"\(name)\" cannot be a name (1 to 64 bytes, no control characters)"
        case .cannotKeepSettings(let reason):
            return "their settings would be lost, \(reason) (the name stays as it is)"
        case .badFileName(let name):
            let limit = name.contains("/") ? "leave out the /" : "1 to 255 bytes, and not . or .."
            return "\"\(name)\" cannot be the name of a file (\(limit))"
        case .cannotRead(let path, let errno): return "cannot read \(path): \(words(forErrno: errno))"
        case .outOfReach(let path):
            return
                "blipchat serve keeps itself to what it could see when it was started, and \(path) is not of it (start serve again, or switch security.sandbox off)"
        case .notARegularFile(let path): return "\(path) is not a regular file (only files and folders can be sent)"
        case .privateFile(let path):
            return "\(path) is your key or your history, which blipchat never sends (blipchat export writes a chat)"
        case .emptyFolder(let path): return "\(path) has no files to send (put one in it first)"
        case .tooManyFiles(let path, let limit):
            return "\(path) has more files than can wait for this contact, \(limit) (pack it into an archive first)"
        case .cannotWrite(let path, let errno):
            return "cannot write to \(path): \(words(forErrno: errno)) (choose another folder)"
        case .notEnoughSpace(let needed, let free, let folder):
            return
                "disk full: needs \(Units.size(needed)), \(Units.size(free)) free on \(folder) (make room, then try again)"
        case .wrongTransferState(let state): return "the transfer is \(word(for: state))"
        case .ownTransfer: return "you offered it: they decide (cancel to take it back)"
        case .outboxFull(let limit):
            return "\(limit) messages are already waiting for this contact (wait until some are sent)"
        case .cannotImport(let problem):
            return "\(problem.subject): \(problem.reason)" + (problem.advice.map { " (\($0))" } ?? "")
        case .isRoom(let name, let lack):
            return "\(SafeText(name, as: .name).text) is a Socket.IO room: \(RoomWords.words(for: lack))"
        case .notARoom(let name):
            return "\(SafeText(name, as: .name).text) is a person, not a room (/remove deletes a contact)"
        case .leftRoom(let name):
            return "you have left \(SafeText(name, as: .name).text) (join it again with its address to write there)"
        case .tooManyRooms(let limit): return "you are in \(limit) rooms already (leave one first)"
        case .badRoomURL(let error): return RoomWords.reason(of: error)
        case .tooLargeForRoom(let bytes, let limit):
            return
                "it has \(Units.size(bytes)), and the server of this room takes at most \(Units.size(limit)) (send it in pieces, or to a person)"
        case .blocked: return "the contact is blocked (unblock it first)"
        case .notOnline: return "there is no connection (/connect calls, /status says why)"
        case .cannotListen(let endpoint, let reason):
            return "cannot listen on \(endpoint): \(reason.words) (choose another address or port)"
        case .instanceLost(let reason):
            return
                "cannot reach the blipchat process that runs the chat: \(reason) (start blipchat serve again, or restart this one)"
        case .instanceStopped:
            return "the blipchat process that runs the chat is stopped (fg in its shell resumes it)"
        }
    }

    package static func reason(of error: StoreError) -> String {
        switch error {
        case .nameTaken(let name): "a contact is already called \"\(name)\" (choose another name)"
        case .notFound: "it is no longer in the history (somebody deleted it here)"
        case .diskFull: "the disk is full; nothing was changed (make room and try again)"
        case .locked: "another process is using the history (quit it, or wait)"
        case .damaged("history", let reason):
            "history is damaged: \(reason) (doctor names the row; doctor --fix puts something readable there)"
        case .damaged(let path, let reason):
            "\(path) is damaged: \(reason) (doctor --recover saves what can be read; history and export show it as long as the file opens)"
        case .newerVersion(let path, let found, let supported):
            "\(path) was written by a newer blipchat (version \(found), this one knows \(supported); update blipchat)"
        case .fileExists(let path): "\(path): the file already exists (choose another name)"
        case .cannotOpen(let path, let reason):
            "cannot open \(path): \(reason) (look at the folder and its permissions)"
        case .replaced(let path, let kept):
            "another file replaced \(path) while blipchat was running, so blipchat no longer stores anything; everything until then is in \(kept) (stop blipchat, decide which of the two you want there, start it again)"
        case .failed(let code, let reason): "the history reports error \(code): \(reason) (run doctor)"
        }
    }

    package static func reason(of error: PeerAddressError) -> String {
        switch error {
        case .tooLong: "the address is longer than 1024 bytes"
        case .wrongScheme(let scheme): "an address begins with blip://, not with \(scheme)://"
        case .badHost(let host): "\"\(host)\" is not HOST:PORT"
        case .badPeerID(let id): "\"\(id)\" is not a peer id (52 letters and digits; was it cut off?)"
        case .noRoute: "it says neither where nor by which relay to call (was it cut off?)"
        case .tooManyRoutes: "more than \(PeerAddress.mostVia) ways to somebody are not kept"
        case .badInvitation: "the invitation in it was cut off or mistyped"
        case .badName: "the name in the address cannot be read"
        }
    }

    /// A whole sentence about an address that somebody typed.
    package static func sentence(for error: PeerAddressError) -> String {
        "That is not an address: \(reason(of: error)) (blip://HOST:PORT/PEER-ID#NAME)"
    }

    package static func sentence(for notice: ChatNotice, name: (ContactID) -> String) -> String {
        switch notice {
        case .cannotListen(let endpoint, let reason):
            "Cannot listen on \(endpoint): \(reason.words) (nobody can call you; choose another address or port)"
        case .listensElsewhere(let wanted, let reason, let listening):
            "Cannot listen on \(wanted): \(reason.words). Listening on \(listening) instead (/myid shows your address)"
        case .keyChanged(let contact):
            "KEY CHANGED (/verify): \(name(contact)) has a new key; sending has stopped"
        case .guestCame(let contact): "\(name(contact)) has come with your invitation and is a contact now"
        case .invitationUsed(let contact):
            "This invitation has been used. \(name(contact)) has to accept you before you can talk"
        case .wordsEnded: "Wrong words three times: yours are over; /invite makes new ones"
        case .storeFailed(let error): "Cannot write the history: \(reason(of: error))"
        case .peerCannotStore(let contact):
            "\(name(contact)) cannot store messages (their disk is full): they wait here until there is room"
        case .contactStoresTooMuch(let contact, let limit?):
            "\(name(contact)) has sent more than \(Units.size(limit)) of messages today: the rest waits on their side until tomorrow (/block stops them, limits.stored_bytes_per_day sets the limit)"
        case .contactStoresTooMuch(let contact, nil):
            "Your disk is nearly full: what \(name(contact)) sends waits on their side until there is room (doctor shows how much is free)"
        case .historyPutBack(let path):
            "\(path) disappeared while blipchat was running: blipchat put it back with everything in it (does another program tidy up there?)"
        case .instanceLost:
            "The blipchat that runs the chat has quit: nothing goes out or comes in until it runs again (blipchat serve)"
        case .instanceFound: "The chat is running again"
        case .instanceSilent:
            "The blipchat that runs the chat does not respond; what you write waits for it (is it stopped? fg resumes it)"
        case .settingsChanged: "The settings have changed"
        case .instanceHere: "The other blipchat has quit: the chat continues here"
        }
    }

    /// The system's own words for an error number.
    package static func words(forErrno errno: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard strerror_r(errno, &buffer, buffer.count) == 0 else { return "system error \(errno)" }
        let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self).lowercased()
    }
}

// MARK: Words for states

extension Sentences {
    package static func word(for trust: PeerTrust) -> String {
        switch trust {
        case .unverified: "unverified"
        case .verified: "verified"
        case .keyChanged: "KEY CHANGED"
        }
    }

    /// Anyone who has our mailboxes or our onion service sees whether we are online, also when we have blocked them (REACH 6).
    /// `nil` when `address` is reached in neither way.
    package static func blockedStillSees(_ address: PeerAddress?, renewal: String) -> String? {
        let isSeen = address?.places.contains { $0.route.routeClass != .direct } ?? false
        return isSeen ? "still sees when you are online (\(renewal) ends that)" : nil
    }

    /// Why nothing goes to somebody or comes from them, and what to do: `Bob is blocked (/unblock Bob)`.
    package static func blocked(_ name: String) -> String { "\(name) is blocked (/unblock \(name))" }

    /// `online, TLS direct`, `connecting`, `offline: nobody listens there`.
    package static func words(for link: LinkState) -> String {
        switch link {
        case .offline(nil): "offline"
        case .offline(let reason?): "offline: \(reason.words)"
        case .connecting: "connecting"
        case .awaitingApproval: "waiting for their approval"
        case .online(let details): "online, \(words(for: details))"
        }
    }

    /// `TLS direct`, `TLS relay`, `TLS onion` or `PLAINTEXT direct`.
    package static func words(for details: LinkDetails) -> String {
        (details.isEncrypted ? "TLS " : "PLAINTEXT ") + way(of: details)
            + (details.isRefusing ? ", THEIR DISK IS FULL" : "")
    }

    /// `direct`, `relay` (also for a proxy in between) or `onion`.
    package static func way(of details: LinkDetails) -> String {
        details.isOnion ? "onion" : details.isRelayed ? "relay" : "direct"
    }

    package static func word(for state: FileTransfer.State) -> String {
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

    /// What became of a file, and why: `cancelled by the other side`, `failed: the disk is full`, `failed, and sent again`.
    package static func words(for state: FileTransfer.State, _ reason: TransferReason?) -> String {
        guard let reason else { return word(for: state) }
        return reason.names(state) ? reason.words : words(word(for: state), reason)
    }

    /// The same with another word for the state: `stopped: the disk is full`.
    package static func words(_ word: String, _ reason: TransferReason) -> String {
        reason == .sentAgain ? "\(word), and \(reason.words)" : "\(word): \(reason.words)"
    }

    /// `1 message missing`
    package static func missing(_ count: Int) -> String {
        count == 1 ? "1 message missing" : "\(count) messages missing"
    }

    /// News of a transfer that has just ended.
    package static func ended(_ transfer: FileTransfer, with name: String) -> String {
        let file = "#\(transfer.number.rawValue) \(SafeText(transfer.name, as: .fileName).text)"
        return ended(file, transfer.state, transfer.reason, transfer.direction, with: name)
    }

    /// News of what has just ended, a file or a folder; `file` names it.
    package static func ended(
        _ file: String, _ state: FileTransfer.State, _ reason: TransferReason?, _ direction: MessageDirection,
        with name: String
    ) -> String {
        switch state {
        case .complete: direction == .incoming ? "\(file) is here" : "\(name) has \(file)"
        case .failed: "\(file) failed" + (reason.map { ": \($0.words)" } ?? "")
        default: "\(file): \(words(for: state, reason))"
        }
    }

    /// The line that is printed after the screen is gone when something failed in its last moments.
    package static let undone =
        "blipchat: some changes could not be saved because the other process stopped responding; press Up next time to get your typed lines back"

    /// The line that is printed after the screen is gone (rule 6); `nil` when nothing waits.
    package static func farewell(queued: Int, transfers: Int) -> String? {
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
        return "blipchat: \(parts.joined(separator: ", ")); it will all resume when blipchat runs again."
    }
}
