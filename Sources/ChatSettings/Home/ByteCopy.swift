// Copies what comes from one descriptor to another.

import Glibc

/// Copies bytes between descriptors.
package enum ByteCopy {
    /// Until the end of `source`. The names are for errors; `passing` sees what is copied.
    package static func copy(
        from source: Int32, named sourceName: String, to target: Int32, named targetName: String,
        passing: (UnsafeRawBufferPointer) -> Void = { _ in }
    ) throws(CommandError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 64)
        defer { buffer.deallocate() }
        while true {
            let count: Int
            do throws(SystemError) {
                count = try SharedDescriptor.read(source, into: buffer)
            } catch {
                throw .system(sourceName, "cannot be read", error.code)
            }
            if count == 0 { return }
            var rest = UnsafeRawBufferPointer(rebasing: buffer.prefix(count))
            passing(rest)
            while !rest.isEmpty {
                let written: Int
                do throws(SystemError) {
                    written = try SharedDescriptor.write(rest, to: target)
                } catch {
                    if error.code == EPIPE { throw CommandError(.brokenPipe, targetName, "closed") }
                    throw .system(targetName, "cannot be written", error.code)
                }
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(written))
            }
        }
    }
}
