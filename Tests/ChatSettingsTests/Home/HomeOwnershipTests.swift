// Whose the folders of a home are, as values and with real folders.

import ChatCore
import Glibc
import TestSupport
import Testing

@testable import ChatSettings

@Suite struct HomeOwnershipTests {
    private typealias Facts = HomeOwnership.Facts

    @Test("a home belongs to its user alone, also where that is root; one may be made in folders of the system")
    func decisions() {
        for user in [uid_t(0), 1000] {
            #expect(HomeOwnership.problem(of: Facts(user: user, mode: 0o40700), for: user) == nil)
            #expect(HomeOwnership.problem(of: Facts(user: user, mode: 0o40755), for: user) == nil)
            #expect(HomeOwnership.problem(of: Facts(user: user, mode: 0o40770), for: user) == .writable(0o770))
            #expect(HomeOwnership.problem(of: Facts(user: user, mode: 0o41703), for: user) == .writable(0o1703))
            #expect(HomeOwnership.problem(of: Facts(user: 1001, mode: 0o40700), for: user) == .owner(1001))
            #expect(HomeOwnership.problem(ofParent: Facts(user: user, mode: 0o40775), for: user) == nil)
            #expect(HomeOwnership.problem(ofParent: Facts(user: 0, mode: 0o40755), for: user) == nil)
            #expect(HomeOwnership.problem(ofParent: Facts(user: 1001, mode: 0o41777), for: user) == nil)
            #expect(HomeOwnership.problem(ofParent: Facts(user: 1001, mode: 0o40777), for: user) == .owner(1001))
        }
        // The one that matters most: root in somebody's folder.
        #expect(HomeOwnership.problem(of: Facts(user: 1000, mode: 0o40700), for: 0) == .owner(1000))
        #expect(HomeOwnership.problem(of: Facts(user: 0, mode: 0o40700), for: 1000) == .owner(0))
    }

    @Test("a folder that others may write is refused in a sentence, and so is everything that would be made below")
    func folders() throws {
        let folder = try TemporaryDirectory()
        let home = try folder.makeFolder("home")
        try HomeOwnership.check(HomePaths(home: home))
        try HomeOwnership.check(HomePaths(home: home + "/new/deep"))
        #expect(chmod(home, 0o770) == 0)
        do throws(CommandError) {
            try HomeOwnership.check(HomePaths(home: home))
            Issue.record("it was taken")
        } catch {
            #expect(error.exit == .localIO && error.subject == home && error.reason.contains("mode 770"), "\(error)")
        }
        try HomeOwnership.check(HomePaths(home: home), onlyOwner: true)
        try HomeOwnership.check(HomePaths(home: home + "/new"))
    }

    @Test(
        "root takes no home of another user, and makes none there",
        .enabled(if: geteuid() == 0, "only root can give away"))
    func foreign() throws {
        let folder = try TemporaryDirectory()
        let home = try folder.makeFolder("home")
        #expect(chown(home, 12_345, 12_345) == 0)
        for path in [home, home + "/.local/share/blipchat"] {
            do throws(CommandError) {
                try HomeOwnership.check(HomePaths(home: path), onlyOwner: true)
                Issue.record("it was taken")
            } catch {
                #expect(error.exit == .localIO && error.subject == home, "\(error)")
                #expect(error.reason.contains("user 12345") && error.advice?.contains("sudo") == true, "\(error)")
            }
        }
    }

    @Test(
        "a file that root changes still belongs to its owner", .enabled(if: geteuid() == 0, "only root can give away"))
    func replaced() throws {
        let folder = try TemporaryDirectory()
        let path = folder.file("config.toml")
        try TestFile.write("a", to: path)
        #expect(chown(path, 12_345, 12_346) == 0)
        try SmallFile.replace(path, with: "b")
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_uid == 12_345 && status.st_gid == 12_346)
        #expect(TestFile.text(path) == "b")
    }

    @Test("the keys and histories of all profiles are private, wherever the home is")
    func privateFiles() throws {
        let one = HomePaths(home: "/h").privateFiles
        #expect(one.folders == ["/h"] && one.profiles == ["/h/profiles"] && one.files == ["/h/input_history"])
        let work = try HomePaths(environment: ["BLIPCHAT_HOME": "/h"], dataFolder: nil, profile: "work").privateFiles
        #expect(work.folders == ["/h/profiles/work", "/h"] && work.profiles == ["/h/profiles"])
        let user = try HomePaths(environment: ["HOME": "/u"], dataFolder: nil, profile: nil).privateFiles
        #expect(user.folders == [] && user.profiles == ["/u/.local/share/blipchat"])
        #expect(user.prefixes == ["identity.key", "history.sqlite"])
    }
}
