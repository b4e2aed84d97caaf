// `blipchat requests`: people who want to chat with us.

import Arguments
import ChatCore
import ChatHost
import ChatSettings
import ChatTUI
import ChatWords
import Storage

struct ListRequestsCommand: Command {
    let context: CommandContext

    func run() async throws(CommandError) -> ExitCode {
        let requests = try await HistoryFile.read(try context.paths()) { store throws(StoreError) in
            try await store.contactRequests()
        }
        let peers = try await HistoryFile.contacts(try context.paths()).peers
        for request in requests ?? [] {
            // The person who chose the name has another key than the contact.
            let twin = NameLikeness.twin(of: request, among: peers)
            if context.isJSON {
                try context.streams.json(Records.request(request, twin: twin))
            } else {
                let mark =
                    NameLikeness.warning(of: request, among: peers).map { "  " + $0.terminalString() } ?? ""
                try context.streams.line(
                    "\(request.id)  \(SafeText.name(request.name))  \(request.peerID)  from \(SafeText.line(request.origin))\(mark)"
                )
            }
        }
        return .done
    }
}

struct ApproveRequestsCommand: Command {
    let context: CommandContext

    func run() async throws(CommandError) -> ExitCode {
        try context.streams.requireOutput()
        let numbers = try await NamedRequests(context: context).numbers()
        let name = context.arguments.text("--name")
        guard name == nil || numbers.count == 1 else {
            throw CommandError(.usage, "--name", "cannot name several requests", advice: "approve them one by one")
        }
        return try await context.withChat { chat throws(CommandError) in
            try await context.forEach(of: numbers) { id throws(CommandError) in
                let peer = try await chat.ask(.approveRequest(id, name: name), about: "request \(id)")
                try context.print(Records.contact(peer)) { () throws(CommandError) in
                    try context.streams.line(SafeText.name(peer.name))
                }
            }
        }
    }
}

struct RejectRequestsCommand: Command {
    let context: CommandContext

    func run() async throws(CommandError) -> ExitCode {
        let numbers = try await NamedRequests(context: context).numbers()
        return try await context.withChat(.quiet) { chat throws(CommandError) in
            try await context.forEach(of: numbers) { id throws(CommandError) in
                let subject = "request \(id)"
                let request = try await chat.ask(.contactRequests, about: subject).first { $0.id == id }
                try await chat.ask(.rejectRequest(id), about: subject)
                if let request { try context.print(Records.request(request, isRejected: true)) }
            }
        }
    }
}

private struct NamedRequests {
    let context: CommandContext

    /// The requests that are named: one, or several of those that wait.
    func numbers() async throws(CommandError) -> [Int64] {
        guard let set = NumberSet(context.operand(0)) else {
            return [try context.arguments.number(at: 0, of: "request")]
        }
        let requests = try await HistoryFile.read(try context.paths()) { store throws(StoreError) in
            try await store.contactRequests()
        }
        let numbers = (requests ?? []).map(\.id).filter(set.contains)
        guard !numbers.isEmpty else {
            throw CommandError(
                .notFound, context.operand(0), "there is no such request", advice: "blipchat requests list shows them")
        }
        return numbers
    }
}
