// The router of this network: the way out, as the kernel lists it (proc(5), /proc/net/route).

internal import Glibc

/// Where what is for nobody in this network goes, by IPv4.
enum DefaultGateway {
    /// The best default route in a text of /proc/net/route; `nil` when there is none. 4 bytes.
    static func address(in text: String) -> [UInt8]? {
        var best: (metric: Int, address: [UInt8])?
        for line in text.split(separator: "\n").dropFirst() {
            let fields = line.split(whereSeparator: { $0 == "\t" || $0 == " " })
            // Interface, destination, gateway, flags (up 1, by a gateway 2), two counters, metric, mask.
            guard fields.count > 7, fields[1] == "00000000", fields[7] == "00000000",
                let flags = Int(fields[3], radix: 16), flags & 3 == 3, let metric = Int(fields[6]),
                // In the byte order of this machine.
                let gateway = UInt32(fields[2], radix: 16)
            else { continue }
            guard best.map({ metric < $0.metric }) ?? true else { continue }
            best = (metric, withUnsafeBytes(of: gateway) { Array($0) })
        }
        return best?.address
    }

    /// As it is now: the kernel answers from its memory.
    static func now() -> SocketAddress? {
        let file = open("/proc/net/route", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4096)
        while bytes.count < 1 << 20 {
            let count = Glibc.read(file, &part, part.count)
            guard count > 0 else { break }
            bytes += part[..<count]
        }
        guard let address = address(in: String(decoding: bytes, as: UTF8.self)) else { return nil }
        return SocketAddress(host: PortQuestion.text(address), port: RouterRequest.port)
    }
}
