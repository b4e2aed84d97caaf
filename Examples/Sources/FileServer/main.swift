// Serves the files of one folder: FileServer FOLDER. A request `file` with the property `Name` gets the file as the
// body of its reply, of whatever size: BLIPNet reads it one frame at a time.

import BLIPNet
import ExampleSupport

final class Files: BLIPRequestHandler {
    private let folder: String

    init(folder: String) { self.folder = folder }

    func handle(_ request: BLIPIncomingRequest, on link: PeerLink) -> BLIPResponse? {
        guard request.properties.profile == "file" else { return .failure(.notFound, "no such profile") }
        // The name comes from a stranger: it must not lead out of the folder.
        guard let name = request.properties["Name"], !name.hasPrefix("."), !name.utf8.contains(UInt8(ascii: "/")),
            !name.utf8.contains(0)
        else { return .failure(.badRequest, "no usable name") }
        guard let body = FileBody(path: "\(folder)/\(name)") else { return .failure(.notFound, "no such file") }
        return BLIPResponse(properties: ["Size": String(body.size)], body: .source(body))
    }
}

guard CommandLine.arguments.count == 2 else { fail("Usage: FileServer FOLDER") }
try await serve(Files(folder: CommandLine.arguments[1]), application: "files_1")
