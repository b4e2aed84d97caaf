// Virtual environments of Python with packages from PyPI, made once and kept for later runs.

import Glibc

/// The environments that tests need servers or validators from.
package actor PythonEnvironment {
    /// python-socketio 5: Engine.IO 4 and protocol 5.
    package static let socketIO5 = PythonEnvironment(
        "python-socketio-5.18.1", ["python-socketio==5.18.1", "aiohttp<4"])
    /// python-socketio 4: Engine.IO 3 and protocol 4.
    package static let socketIO4 = PythonEnvironment(
        "python-socketio-4.6.1", ["python-socketio==4.6.1", "python-engineio==3.14.2", "aiohttp<4"])
    /// A validator of JSON Schema, draft 2020-12.
    package static let jsonSchema = PythonEnvironment("jsonschema-4.26.0", ["jsonschema==4.26.0"])

    private let name: String
    private let packages: [String]
    private var making: Task<String?, Never>?

    private init(_ name: String, _ packages: [String]) {
        self.name = name
        self.packages = packages
    }

    /// The path of the environment's python; `nil` where PyPI cannot be reached, or where there is no Python 3 with venv.
    /// It stands in the cache of the user (`BLIPCHAT_TEST_PYTHON` names another folder).
    package func python() async -> String? {
        let making = making ?? Task { [name, packages] in await Self.make(name, packages) }
        self.making = making
        return await making.value
    }

    /// Whether tests can use it, for `.enabled(if:)`.
    package var isAvailable: Bool { get async { await python() != nil } }

    /// A file of a wheel that is not installed, kept for later runs; `nil` where PyPI cannot be reached.
    package func file(_ path: String, of wheel: String) async -> String? {
        let parent = Self.parent
        let kept = "\(parent)/\(wheel)-\(path.split(separator: "/").last ?? "")"
        if access(kept, R_OK) == 0 { return kept }
        guard let python = await python(), let draft = try? TemporaryDirectory(in: parent) else { return nil }
        let unpack =
            "import pathlib, sys, zipfile\n"
            + "zipfile.ZipFile(*pathlib.Path(sys.argv[1]).glob('*.whl')).extract(sys.argv[2], sys.argv[1])"
        for command in [
            Self.pip(python, "download") + ["--no-deps", "--dest", draft.path, wheel],
            [python, "-c", unpack, draft.path, path],
        ] {
            guard await Self.succeeds(command, in: draft) else { return nil }
        }
        return rename(draft.file(path), kept) == 0 ? kept : nil
    }

    /// Where everything is kept.
    private static var parent: String {
        let cache = variable("XDG_CACHE_HOME") ?? "\(variable("HOME") ?? "/tmp")/.cache"
        let parent = variable("BLIPCHAT_TEST_PYTHON") ?? "\(cache)/blipchat-python"
        mkdir(cache, 0o700)
        mkdir(parent, 0o700)
        return parent
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    private static func make(_ name: String, _ packages: [String]) async -> String? {
        let parent = parent
        let python = "\(parent)/\(name)/bin/python"
        if access(python, X_OK) == 0 { return python }
        // Made under another name, so that what stands under the right one is complete. What a second run makes meanwhile is
        // as good.
        guard let draft = try? TemporaryDirectory(in: parent) else { return nil }
        let made = draft.file("made")
        for command in [["python3", "-m", "venv", made], pip("\(made)/bin/python", "install") + packages] {
            guard await succeeds(command, in: draft) else { return nil }
        }
        // An environment finds itself by where its python stands; only its scripts know the old path.
        if rename(made, "\(parent)/\(name)") != 0, access(python, X_OK) != 0 { return nil }
        return python
    }

    private static func pip(_ python: String, _ command: String) -> [String] {
        [python, "-m", "pip", command, "--quiet", "--timeout", "15", "--retries", "1"]
    }

    private static func succeeds(_ command: [String], in folder: TemporaryDirectory) async -> Bool {
        var environment: [String: String] = ["PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1"]
        for name in [
            "PATH", "HOME", "http_proxy", "https_proxy", "HTTPS_PROXY", "no_proxy", "NO_PROXY", "PIP_INDEX_URL",
            "PIP_CONFIG_FILE", "PIP_CERT", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "PYENV_ROOT", "PYENV_VERSION",
        ] {
            environment[name] = variable(name)
        }
        guard let process = try? ChildProcess(command, environment: environment, folder: folder) else { return false }
        return (try? await process.waitForExit(timeout: .seconds(240))) == .exited(0)
    }
}
