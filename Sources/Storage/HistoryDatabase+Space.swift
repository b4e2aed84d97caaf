// The disk that the history is on.

package import ChatCore
internal import Glibc

extension HistoryDatabase {
    /// On the writer's queue, which waits for that disk anyway.
    package func space() async -> DiskSpace? {
        let folder = PathParts.folder(of: path)
        let space = try? await writer.perform { _ throws(StoreError) -> DiskSpace? in
            var status = statvfs()
            guard statvfs(folder, &status) == 0 else { return nil }
            let (free, freeOverflow) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
            let (total, overflow) = UInt64(status.f_blocks).multipliedReportingOverflow(by: UInt64(status.f_frsize))
            return freeOverflow || overflow ? nil : DiskSpace(free: free, total: total)
        }
        return space ?? nil
    }
}
