// Unfinished files do not lie about for ever (RELIABILITY D11): what nothing was added to for some days is removed.

extension ChatClient {
    private static let day: Int64 = 86_400_000

    /// Looks now and once a day.
    func keepPartialsClean() {
        spawn { client in
            client.spawn(after: .seconds(86_400)) { $0.keepPartialsClean() }
            await client.cleanSpools()
            await client.cleanPartials()
        }
    }

    func cleanSpools() async {
        let spools = configuration.spoolFolders
        guard !spools.isEmpty,
            let needed = await records.quietly({ () async throws(StoreError) in
                try await store.unfinishedPaths(.outgoing)
            })
        else { return }
        for spool in spools { await spool.clean(except: needed, now: now()) }
    }

    /// Removes the partial files of transfers that rest (they begin anew when they go on), and those that belong to
    /// no unfinished transfer, in every folder where files of ours are expected.
    func cleanPartials() async {
        guard let days = configuration.partialKeepDays else { return }
        let limit = now().milliseconds - Int64(days) * Self.day
        let paths = await records.quietly { () async throws(StoreError) in try await store.unfinishedPaths(.incoming) }
        guard let paths else { return }
        var folders = Set(paths.map(PathParts.folder))
        if let own = try? await places.downloads(within: nil) { folders.insert(own) }
        // The disks one beside the other: one that does not answer keeps none from being cleaned.
        let cleaning = folders.map { folder in spawn { await $0.cleanFolder(folder, limit) } }
        for task in cleaning { await task.value }
    }

    private func cleanFolder(_ path: String, _ limit: Int64) async {
        for (name, id) in await PartialFile.old(in: path, before: limit) where !transfers.needsPartial(id) {
            await PartialFile.remove(name, in: path)
            await changeQuietly(id) { $0.transferred = 0 }
        }
    }
}
