// Exit codes for what the chat, the store, the key and the terminal report. The words are those of the screen.

package import ChatCore
package import ChatSettings
import ChatWords

extension CommandError {
    /// `subject` is what the user asked for: a contact, a transfer, a file.
    package init(_ error: ChatError, about subject: String) {
        switch error {
        case .store(let error): self.init(error, path: subject)
        case .badAddress(let error): self.init(error, address: subject)
        case .badName(let name) where ContactNames.isReserved(name):
            self.init(.usage, name, "means you in searches and in the history", advice: "choose another name")
        case .noSuchContact:
            self.init(.notFound, subject, "there is no such contact", advice: "blipchat contacts list shows them")
        case .noSuchTransfer:
            self.init(.notFound, subject, "there is no such transfer", advice: "blipchat transfers list shows them")
        case .noSuchRequest:
            self.init(.notFound, subject, "there is no such request", advice: "blipchat requests list shows them")
        case .noSuchAddress:
            self.init(
                .notFound, subject, "the contact has no such address", advice: "blipchat contacts show lists them")
        case .cannotImport(let problem):
            self.init(
                ExitCode(rawValue: problem.exit) ?? .store, problem.subject, problem.reason, advice: problem.advice)
        default: self.init(Self.exitCode(of: error), subject, Sentences.reason(of: error))
        }
    }

    /// Some files of a folder did not go; each was named before, with its reason.
    package static func incompleteFolder(_ path: String, leftOut count: Int) -> CommandError {
        CommandError(
            .localIO, path, "incomplete: \(count.counted("file")) in it not sent, named above",
            advice: "everything else in it is offered")
    }

    private static func exitCode(of error: ChatError) -> ExitCode {
        switch error {
        case .ownAddress, .textTooLong, .emptyText, .badName, .badFileName, .badAddress, .wrongTransferState,
            .ownTransfer, .privateFile,
            .notOwnMessage, .isRoom, .notARoom, .badRoomURL, .tooLargeForRoom, .idTaken, .retracted, .notText,
            .badReaction:
            .usage
        // Our own user has refused it before: no typing mistake, and nothing that the peer has said.
        case .blocked, .leftRoom: .negative
        case .noSuchContact, .noSuchAddress, .noSuchTransfer, .noSuchRequest, .noSuchMessage: .notFound
        case .cannotRead, .outOfReach, .notARegularFile, .emptyFolder, .tooManyFiles, .cannotWrite, .notEnoughSpace,
            .outboxFull, .tooManyRooms,
            .cannotListen, .cannotKeepSettings:
            .localIO
        case .notOnline, .notReachable, .notMet: .network
        case .noSuchKey, .newKeyOf: .identity
        case .store, .cannotImport: .store
        case .instanceLost, .instanceStopped: .network
        }
    }

    package init(_ error: PeerAddressError, address: String) {
        self.init(
            .usage, address, Sentences.reason(of: error), advice: "an address is blip://HOST:PORT/PEER-ID#NAME")
    }

    package init(_ error: IdentityError) {
        switch error {
        case .exposed(let path, let mode):
            self.init(
                .localIO, path, "others can read your key or change its folder (mode \(String(mode, radix: 8)))",
                advice: "remove their permissions: chmod go= on both")
        case .notOwned(let path):
            self.init(.localIO, path, "the key belongs to another user", advice: "use another --data-dir")
        case .damaged(let path):
            self.init(.localIO, path, "contains no key", advice: "put your copy back, or move it away to get a new key")
        case .failed(let call, let path, let code): self = .system(path, "\(call) failed", code)
        case .exists(let path):
            self.init(.usage, path, "there is already another key", advice: "--replace sets it aside")
        case .sealed(let path):
            self.init(
                .usage, path, "your key has a passphrase, and blipchat cannot ask for it",
                advice: "give --passphrase-fd N, or, to a service, the credential \(HomePaths.passphraseCredential)")
        case .wrongPassphrase(let path): self.init(.passphrase, path, "the passphrase is wrong", advice: "try again")
        case .cannotGenerate:
            self.init(.localIO, "key", "cannot be created: OpenSSL has no randomness", advice: "try again later")
        }
    }
}
