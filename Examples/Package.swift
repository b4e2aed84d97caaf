// swift-tools-version: 6.2
// A package of its own that uses BLIPNet as any other package would. BLIPCHAT_REPOSITORY says where the repository is:
//
//     BLIPCHAT_REPOSITORY=file:///home/me/blipchat swift build
import PackageDescription

/// A clone beside the folder of this package is the default. The last part of the URL is the name of the package.
let repository = Context.environment["BLIPCHAT_REPOSITORY"] ?? "file://\(Context.packageDirectory)/../../blipchat"

let blipnet = Target.Dependency.product(name: "BLIPNet", package: "blipchat")

let package = Package(
    name: "Examples",
    dependencies: [.package(url: repository, from: "0.1.0")],
    targets: [
        .target(name: "ExampleSupport", dependencies: [blipnet]),
        .executableTarget(name: "EchoServer", dependencies: [blipnet, "ExampleSupport"]),
        .executableTarget(name: "EchoClient", dependencies: [blipnet, "ExampleSupport"]),
        .executableTarget(name: "FileServer", dependencies: [blipnet, "ExampleSupport"]),
        .executableTarget(name: "FileClient", dependencies: [blipnet, "ExampleSupport"]),
    ]
)
