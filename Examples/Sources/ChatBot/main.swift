// A bot that answers everybody who writes to it: it sends each text back in capitals.
//
//     blipchat serve --accept-requests &
//     ChatBot [path of blipchat]
//
// `blipchat watch --json` prints a record on a line for whatever happens (Docs/scripting.md); `blipchat send` answers.
// Both find the running chat by themselves, by BLIPCHAT_HOME where it is set.

import Foundation

/// What the bot reads of a record. Records have more members, and later versions of blipchat may add some.
struct Record: Decodable {
    let type: String
    let event: String?
    let conversation: String?
    let from: String?
    let text: String?
}

let blipchat = CommandLine.arguments.dropFirst().first ?? "blipchat"

/// A blipchat process that has not been started yet. `env` finds the program as a shell would.
func command(_ words: String...) -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [blipchat] + words
    return process
}

/// Answers a message of somebody else; everything else that happens is not for the bot.
func answer(_ line: Data) throws {
    guard let record = try? JSONDecoder().decode(Record.self, from: line), record.type == "message",
        record.event == "added", record.from != "me", let sender = record.conversation, let text = record.text
    else { return }
    // The text comes from a stranger. After `--` it is no option, whatever it looks like.
    let send = command("send", "--queue", "--quiet", "--", sender, text.uppercased())
    send.standardOutput = FileHandle.nullDevice
    try send.run()
    send.waitUntilExit()
}

let watch = command("watch", "--json")
let output = Pipe()
watch.standardOutput = output
try watch.run()
var unread = Data()
// `availableData` waits, and is empty at the end.
while case let piece = output.fileHandleForReading.availableData, !piece.isEmpty {
    unread += piece
    while let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
        try answer(unread[..<end])
        unread.removeSubrange(...end)
    }
}
watch.waitUntilExit()
exit(watch.terminationStatus)
