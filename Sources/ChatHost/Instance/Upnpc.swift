// Asks routers that know neither PCP nor NAT-PMP, by the program upnpc: its library changes its functions from version to
// version, and has had holes (REACH 5).

package import BLIPNet
import ChatCore
import ChatTUI
import Dispatch
import Glibc

/// Runs upnpc.
package struct Upnpc: UPnPAsking {
    private static let queue = DispatchQueue(label: "blipchat.upnpc")
    private static let timeLimit = Duration.seconds(10)
    /// Found by PATH.
    private let program: String

    static var path: String? { InstalledProgram.path(of: "upnpc") }

    package init(program: String = "upnpc") { self.program = program }

    package func map(_ port: UInt16, ownHost: String) async throws(MappingFailure) -> MappedPort {
        let lifetime = "\(PortQuestion.lifetime)"
        let words = ["-e", "blipchat", "-a", ownHost, "\(port)", "\(port)", "TCP", lifetime]
        switch await run(words) {
        case .ended(0, let output, _):
            guard case .host(let host, let outside)? = Self.place(in: output), outside > 0 else { throw .silent }
            guard let address = SocketAddress(host: host, port: outside), !address.isInside else {
                throw .noPublicAddress(host)
            }
            return MappedPort(
                way: .upnp, host: host, port: outside, inside: port, lifetime: .seconds(Int64(PortQuestion.lifetime)))
        case .ended, .tookTooLong: throw .silent
        case .notStarted(EACCES): throw .programKept
        case .notStarted: throw .noProgram
        }
    }

    package func giveBack(_ mapped: MappedPort) async {
        // What it says is nobody's affair: the lease ends by itself.
        _ = await run(["-d", "\(mapped.port)", "TCP"])
    }

    private func run(_ words: [String]) async -> FilterProgram.Outcome {
        await FilterProgram(words: [program] + words, timeLimit: Self.timeLimit).run([], on: Self.queue)
    }

    /// `external 11.0.0.11:4986 TCP is redirected to …`
    static func place(in output: String) -> Endpoint? {
        for line in output.split(whereSeparator: \.isNewline) {
            let words = line.split(separator: " ")
            if words.count > 2, words[0] == "external" { return Endpoint(String(words[1])) }
        }
        return nil
    }
}
