// The first start: what the defaults are and what the user decided. FirstRunForm asks, FirstRunScreen draws.

package import ChatCore
import ChatWords

/// The values that the page shows before anything is typed.
package struct FirstRunDefaults: Sendable {
    package var choices: FirstRunChoices
    /// The command line says where calls are taken, for this start only: it is shown and not asked.
    package var isListenFixed: Bool
    /// The host in our address while calls are taken at all addresses of this machine.
    package var reachableHost: String
    /// The key that is written when the chat starts.
    package var peerID: PeerID
    /// Where it will be written, for people to see.
    package var keyPath: String
    /// The home folder, shown as `~`.
    package var home: String
    /// There is a history already, whose key is gone.
    package var lacksOldKey: Bool

    package init(
        _ choices: FirstRunChoices, isListenFixed: Bool = false, reachableHost: String, peerID: PeerID,
        keyPath: String, home: String, lacksOldKey: Bool = false
    ) {
        self.choices = choices
        self.isListenFixed = isListenFixed
        self.reachableHost = reachableHost
        self.peerID = peerID
        self.keyPath = keyPath
        self.home = home
        self.lacksOldKey = lacksOldKey
    }
}

/// The choices that the user makes on the page.
package struct FirstRunChoices: Sendable, Equatable {
    /// 1 to 64 bytes.
    package var name: String
    /// The one address at which calls are taken; `nil` for all of this machine.
    package var listenHost: String?
    /// 0 for any free one.
    package var listenPort: UInt16
    /// Files wait until they are accepted.
    package var asksForFiles: Bool
    /// Where received files go: an absolute path without `~`.
    package var downloads: String
    package var keep: Retention
    /// Somebody to be added: an address or words of an invitation, checked. `nil` when the field was left empty.
    package var someone: String?

    package init(
        name: String, listenHost: String? = nil, listenPort: UInt16, asksForFiles: Bool = true, downloads: String,
        keep: Retention = .forever, someone: String? = nil
    ) {
        self.name = name
        self.listenHost = listenHost
        self.listenPort = listenPort
        self.asksForFiles = asksForFiles
        self.downloads = downloads
        self.keep = keep
        self.someone = someone
    }
}

/// The user's decision. Nothing has been written.
package enum FirstRunAnswer: Sendable, Equatable {
    case start(FirstRunChoices)
    case demo
    case quit
    /// A signal ended the page, or the terminal is gone (SIGHUP).
    case ended(signal: Int32)
}

/// The objection of this machine to a decision, in words; found before anything is written.
package enum FirstRunProblem: Error, Sendable, Equatable {
    case host(String)
    case port(String)
    case downloads(String)
}
