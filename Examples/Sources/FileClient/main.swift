// Gets a file from FileServer and writes it to standard output: FileClient HOST:PORT FINGERPRINT NAME
//
// It takes the body piece by piece. While standard output is slow, the server waits with this file, and with nothing
// else that the link carries.

import BLIPNet
import ExampleSupport
import Foundation

let words = CommandLine.arguments.dropFirst()
guard words.count == 3, let place = Place(endpoint: words[1], fingerprint: words[2]) else {
    fail("Usage: FileClient HOST:PORT FINGERPRINT NAME")
}
do {
    let link = try await call(place, application: "files_1")
    let body = BLIPBodyStream()
    let reply = link.submit(BLIPRequest(profile: "file", properties: ["Name": words[3]]), bodySink: body.sink)
    for try await piece in body { try FileHandle.standardOutput.write(contentsOf: piece) }
    let response = try await reply.value()
    if let error = response.error { fail("The server answers with error \(error.domain) \(error.code).") }
    link.close()
    _ = await link.waitUntilClosed()
} catch {
    fail("The file has not come: \(error)")
}
