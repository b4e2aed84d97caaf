// Removes unfinished files that nobody has written to for some days, so that they do not fill the disk (RELIABILITY D11).

/// Looks at the folders once a day.
struct PartialsCleaning {
    let core: ClientCore
    let book: TransferBook
    let places: DownloadPlaces

    private static let day: Int64 = 86_400_000

    /// Looks now and once a day.
    func keepPartialsClean() {
        core.tasks.spawn { client in
            client.core.tasks.spawn(after: .seconds(86_400)) { $0.cleaning.keepPartialsClean() }
            await client.cleaning.cleanSpools()
            await client.cleaning.cleanPartials()
        }
    }

    func cleanSpools() async {
        let spools = core.configuration.spoolFolders
        guard !spools.isEmpty,
            let needed = await core.records.quietly({ () async throws(StoreError) in
                try await core.store.unfinishedPaths(.outgoing)
            })
        else { return }
        for spool in spools { await spool.clean(except: needed, now: core.now()) }
    }

    /// Removes the partial files of transfers that rest (they begin anew when they resume), and those that belong to no
    /// unfinished transfer, in every folder where files of ours are expected.
    func cleanPartials() async {
        guard let days = core.configuration.partialKeepDays else { return }
        let limit = core.now().milliseconds - Int64(days) * Self.day
        let paths = await core.records.quietly { () async throws(StoreError) in
            try await core.store.unfinishedPaths(.incoming)
        }
        guard let paths else { return }
        var folders = Set(paths.map(PathParts.folder))
        if let own = try? await places.downloads(within: nil) { folders.insert(own) }
        // All disks at once: one that does not answer does not hold up the others.
        let cleaning = folders.map { folder in core.tasks.spawn { await $0.cleaning.cleanFolder(folder, limit) } }
        for task in cleaning { await task.value }
    }

    func cleanFolder(_ path: String, _ limit: Int64) async {
        for (name, id) in await PartialFile.old(in: path, before: limit) where !book.transfers.needsPartial(id) {
            await PartialFile.remove(name, in: path)
            await book.changeQuietly(id) { $0.transferred = 0 }
        }
    }
}
