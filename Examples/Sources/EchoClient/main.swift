// Sends a text to EchoServer and prints what comes back: EchoClient HOST:PORT FINGERPRINT TEXT

import BLIPNet
import ExampleSupport

let words = CommandLine.arguments.dropFirst()
guard words.count == 3, let place = Place(endpoint: words[1], fingerprint: words[2]) else {
    fail("Usage: EchoClient HOST:PORT FINGERPRINT TEXT")
}
do {
    let link = try await call(place, application: "echo_1")
    let response = try await link.request(BLIPRequest(profile: "echo", body: .text(words[3])))
    if let error = response.error { fail("The server answers with error \(error.domain) \(error.code).") }
    print(String(decoding: response.bodyBytes, as: UTF8.self))
    link.close()
    _ = await link.waitUntilClosed()
} catch {
    fail("The call has failed: \(error)")
}
