// swift-tools-version: 6.2
// The package: which modules there are and who may import whom (ARCHITECTURE.md explains the arrows).
import PackageDescription

/// Every Swift target is held to the same rules: Swift 6 mode, strict concurrency, warnings as errors.
let common: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// All targets but BLIPNet: other packages depend on that one, and SwiftPM takes no unsafe flags from a dependency.
/// Scripts/check_hops.py proves that it needs none.
let strict: [SwiftSetting] =
    common + [
        // Optimised, Swift 6.3 leaves out the way back to the caller's executor where an error is thrown: what follows
        // would run beside the actor that it belongs to (Docs/decisions/0014).
        .unsafeFlags(["-Xllvm", "-sil-disable-pass=optimize-hop-to-executor"], .when(configuration: .release))
    ]

/// What starts while somebody waits gets packed relocations, which only lld writes, and no table of exported symbols: less
/// to read before its first line runs (Docs/decisions/0025).
let quickStart: [LinkerSetting] = [
    .unsafeFlags(
        ["-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs", "-Xlinker", "--no-export-dynamic"],
        .when(configuration: .release))
]

let package = Package(
    name: "blipchat",
    products: [
        .executable(name: "blipchat", targets: ["blipchat"]),
        .executable(name: "blipwire", targets: ["blipwire"]),
        // For other packages (Examples/).
        .library(name: "BLIPNet", targets: ["BLIPNet"]),
        // Not installed: preloaded into blipchat by FaultTests.
        .library(name: "FaultInjector", type: .dynamic, targets: ["CFaultInjector"]),
    ],
    targets: [
        // System libraries, one module map each; CLinux wraps system calls that glibc 2.36 has no function for.
        .systemLibrary(name: "CNcurses"),
        .systemLibrary(name: "CSQLite"),
        .systemLibrary(name: "CZlib"),
        .systemLibrary(name: "COpenSSL"),
        .systemLibrary(name: "CLinux"),

        // The command lines of blipchat and blipwire.
        .target(name: "Arguments", swiftSettings: strict),
        .target(
            name: "BLIPNet", dependencies: ["CZlib", "COpenSSL", "CLinux"], exclude: ["README.md"],
            swiftSettings: common),
        .target(name: "ChatCore", dependencies: ["BLIPNet", "CLinux"], swiftSettings: strict),
        .target(name: "Storage", dependencies: ["ChatCore", "CSQLite", "CLinux"], swiftSettings: strict),
        // Text for people: what may be shown of what comes from outside, and what is said of errors and states.
        .target(name: "ChatWords", dependencies: ["ChatCore", "CLinux"], swiftSettings: strict),
        .target(
            name: "ChatTUI", dependencies: ["ChatWords", "ChatCore", "CNcurses", "CLinux"], swiftSettings: strict),

        // What the user can set, and where everything of a profile is kept.
        .target(
            name: "ChatSettings", dependencies: ["ChatTUI", "ChatWords", "ChatCore", "BLIPNet", "CLinux"],
            swiftSettings: strict),
        // The chat of a home, in this process or in another, and what can be done with a home beside it.
        .target(
            name: "ChatHost",
            dependencies: ["ChatSettings", "ChatTUI", "ChatWords", "ChatCore", "BLIPNet", "Storage", "CLinux"],
            swiftSettings: strict),

        .executableTarget(
            name: "blipchat",
            dependencies: [
                "Arguments", "ChatHost", "ChatSettings", "ChatTUI", "ChatWords", "ChatCore", "BLIPNet", "Storage",
                "CLinux",
            ],
            swiftSettings: strict, linkerSettings: quickStart),
        // The protocol workbench: what its executable and the benchmarks share, and the two executables.
        .target(
            name: "Workbench", dependencies: ["BLIPNet", "CLinux"], path: "Tools/Workbench", swiftSettings: strict),
        .executableTarget(
            name: "blipwire", dependencies: ["Arguments", "Workbench", "BLIPNet", "CLinux"], path: "Tools/blipwire",
            swiftSettings: strict),
        // Histories of any size, for the benchmarks and the tests.
        .target(
            name: "HistoryGenerator", dependencies: ["Storage", "ChatCore"], path: "Tools/HistoryGenerator",
            swiftSettings: strict),
        // Counts heap allocations in whatever program links it: the benchmarks and the tests of their budgets.
        .target(name: "CAllocationCount", path: "Tools/CAllocationCount"),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "Workbench", "HistoryGenerator", "TestSupport", "ChatTUI", "ChatWords", "Storage", "ChatCore",
                "BLIPNet",
                "CSQLite", "CLinux", "CAllocationCount",
            ],
            path: "Benchmarks", exclude: ["LibWebSocketsEcho", "SocketIO"], swiftSettings: strict),

        // Tests mirror the sources; TestSupport holds what several of them and the benchmarks need (processes,
        // pseudo-terminals), TestTraits what needs the module Testing, which a static release does not have.
        .target(
            name: "TestSupport", dependencies: ["BLIPNet", "CLinux", "CSQLite"], path: "Tests/TestSupport",
            swiftSettings: strict),
        .target(name: "TestTraits", path: "Tests/TestTraits", swiftSettings: strict),
        .testTarget(name: "ArgumentsTests", dependencies: ["Arguments", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "BLIPNetTests", dependencies: ["BLIPNet", "COpenSSL", "CZlib", "CLinux", "TestSupport"],
            resources: [.copy("Vectors")], swiftSettings: strict),
        .testTarget(
            name: "ChatCoreTests", dependencies: ["ChatCore", "BLIPNet", "Storage", "CLinux", "TestSupport"],
            resources: [.copy("Corpus"), .copy("Vectors")], swiftSettings: strict),
        .testTarget(
            name: "StorageTests",
            dependencies: ["Storage", "ChatCore", "CSQLite", "CLinux", "HistoryGenerator", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "ChatWordsTests", dependencies: ["ChatWords", "ChatCore", "BLIPNet", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "ChatTUITests", dependencies: ["ChatTUI", "ChatWords", "ChatCore", "CLinux", "TestSupport"],
            resources: [.copy("Golden")], swiftSettings: strict),
        .testTarget(
            name: "ChatSettingsTests",
            dependencies: ["ChatSettings", "ChatTUI", "ChatWords", "ChatCore", "BLIPNet", "Storage", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "ChatHostTests",
            dependencies: ["ChatHost", "ChatSettings", "ChatCore", "BLIPNet", "Storage", "CLinux", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "BlipchatTests",
            dependencies: [
                "blipchat", "Arguments", "ChatHost", "ChatSettings", "ChatTUI", "ChatWords", "ChatCore", "BLIPNet",
                "CLinux", "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "BlipwireTests",
            dependencies: ["blipwire", "Arguments", "Workbench", "BLIPNet", "CAllocationCount", "TestSupport"],
            swiftSettings: strict),
        // Stands before glibc's write, fsync, open and rename in a program under test.
        .target(name: "CFaultInjector", path: "Tests/CFaultInjector"),
        // Faults of the network, the disk and the machine: everything that must not lose a message.
        .testTarget(
            name: "FaultTests",
            dependencies: [
                "ChatCore", "Storage", "BLIPNet", "Workbench", "CSQLite", "CLinux", "TestSupport", "TestTraits",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "EndToEndTests", dependencies: ["CLinux", "TestSupport", "TestTraits"], swiftSettings: strict),
    ]
)

// `make quick M=ChatTUI` builds the tests of one module and what they need, in a folder of its own.
if let module = Context.environment["BLIPCHAT_QUICK"] {
    var wanted: Set<String> = []
    func want(_ name: String) {
        guard wanted.insert(name).inserted, let target = package.targets.first(where: { $0.name == name }) else {
            return
        }
        for case .byNameItem(let dependency, _) in target.dependencies { want(dependency) }
    }
    want("\(module)Tests")
    package.products = []
    package.targets.removeAll { !wanted.contains($0.name) }
}
