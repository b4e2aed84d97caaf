// The functions of libavahi-client that are used here, loaded when there is somebody to look for: without the library
// everything is as it was (REACH 5).

import Glibc

/// Functions of avahi 0.8. All of them are called on one thread, and none with NULL for something that it needs: the library
/// would end the program.
struct AvahiLibrary {
    typealias Pointer = OpaquePointer
    typealias Context = UnsafeMutableRawPointer
    typealias Text = UnsafePointer<CChar>

    typealias ClientNews = @convention(c) (Pointer?, Int32, Context?) -> Void
    typealias GroupNews = @convention(c) (Pointer?, Int32, Context?) -> Void
    /// Browser, interface, protocol, event, name, type, domain, flags.
    typealias BrowserNews =
        @convention(c) (
            Pointer?, Int32, Int32, Int32, Text?, Text?, Text?, Int32, Context?
        ) -> Void
    /// Resolver, interface, protocol, event, name, type, domain, host, address, port, texts, flags.
    typealias ResolverNews =
        @convention(c) (
            Pointer?, Int32, Int32, Int32, Text?, Text?, Text?, Text?, Pointer?, UInt16, Pointer?, Int32, Context?
        ) -> Void

    let newPoll: @convention(c) () -> Pointer?
    let poll: @convention(c) (Pointer) -> Pointer?
    /// Waits for so many milliseconds, -1: until something happens; not 0 when it is of no use any more.
    let iterate: @convention(c) (Pointer, Int32) -> Int32
    /// Ends a wait; may be called on any thread.
    let wakeUp: @convention(c) (Pointer) -> Void
    let freePoll: @convention(c) (Pointer) -> Void

    let addText: @convention(c) (Pointer?, Text) -> Pointer?
    let nextText: @convention(c) (Pointer) -> Pointer?
    let textBytes: @convention(c) (Pointer) -> UnsafePointer<UInt8>?
    let textCount: @convention(c) (Pointer) -> Int
    let freeTexts: @convention(c) (Pointer) -> Void
    let printAddress: @convention(c) (UnsafeMutablePointer<CChar>, Int, Pointer) -> UnsafeMutablePointer<CChar>?

    let newClient: @convention(c) (Pointer, Int32, ClientNews, Context?, UnsafeMutablePointer<Int32>) -> Pointer?
    let freeClient: @convention(c) (Pointer) -> Void
    let newGroup: @convention(c) (Pointer, GroupNews, Context?) -> Pointer?
    let addService:
        @convention(c) (
            Pointer, Int32, Int32, Int32, Text, Text, Text?, Text?, UInt16, Pointer?
        ) -> Int32
    let updateTexts: @convention(c) (Pointer, Int32, Int32, Int32, Text, Text, Text?, Pointer?) -> Int32
    let commit: @convention(c) (Pointer) -> Int32
    let reset: @convention(c) (Pointer) -> Int32
    let freeGroup: @convention(c) (Pointer) -> Int32
    let newBrowser: @convention(c) (Pointer, Int32, Int32, Text, Text?, Int32, BrowserNews, Context?) -> Pointer?
    let freeBrowser: @convention(c) (Pointer) -> Int32
    let newResolver:
        @convention(c) (
            Pointer, Int32, Int32, Text, Text, Text?, Int32, Int32, ResolverNews, Context?
        ) -> Pointer?
    let freeResolver: @convention(c) (Pointer) -> Int32

    /// AVAHI_IF_UNSPEC and AVAHI_PROTO_UNSPEC.
    static let any: Int32 = -1
    /// AVAHI_PROTO_INET6.
    static let ipv6: Int32 = 1
    /// AVAHI_CLIENT_NO_FAIL: waits for a daemon that does not run.
    static let noFail: Int32 = 2
    /// AVAHI_LOOKUP_RESULT_OUR_OWN.
    static let ourOwn: Int32 = 16
    /// AVAHI_ERR_COLLISION.
    static let collision: Int32 = -8

    /// AvahiClientState.
    enum ClientState: Int32 {
        case registering = 1
        case running = 2
        case collision = 3
        case failure = 100
        case connecting = 101
    }

    /// `nil` when the library is not installed.
    init?() {
        // It is never given back: its thread may end at any time, and the next one loads it again.
        guard let common = dlopen("libavahi-common.so.3", RTLD_NOW | RTLD_LOCAL),
            let client = dlopen("libavahi-client.so.3", RTLD_NOW | RTLD_LOCAL)
        else { return nil }
        func symbol<Function>(_ handle: UnsafeMutableRawPointer, _ name: String) -> Function? {
            dlsym(handle, name).map { unsafeBitCast($0, to: Function.self) }
        }
        guard let newPoll: @convention(c) () -> Pointer? = symbol(common, "avahi_simple_poll_new"),
            let poll: @convention(c) (Pointer) -> Pointer? = symbol(common, "avahi_simple_poll_get"),
            let iterate: @convention(c) (Pointer, Int32) -> Int32 = symbol(common, "avahi_simple_poll_iterate"),
            let wakeUp: @convention(c) (Pointer) -> Void = symbol(common, "avahi_simple_poll_wakeup"),
            let freePoll: @convention(c) (Pointer) -> Void = symbol(common, "avahi_simple_poll_free"),
            let addText: @convention(c) (Pointer?, Text) -> Pointer? = symbol(common, "avahi_string_list_add"),
            let nextText: @convention(c) (Pointer) -> Pointer? = symbol(common, "avahi_string_list_get_next"),
            let textBytes: @convention(c) (Pointer) -> UnsafePointer<UInt8>? = symbol(
                common, "avahi_string_list_get_text"),
            let textCount: @convention(c) (Pointer) -> Int = symbol(common, "avahi_string_list_get_size"),
            let freeTexts: @convention(c) (Pointer) -> Void = symbol(common, "avahi_string_list_free"),
            let printAddress: @convention(c) (UnsafeMutablePointer<CChar>, Int, Pointer) -> UnsafeMutablePointer<CChar>?
            =
                symbol(common, "avahi_address_snprint")
        else { return nil }
        guard
            let newClient:
                @convention(c) (Pointer, Int32, ClientNews, Context?, UnsafeMutablePointer<Int32>) -> Pointer? = symbol(
                    client, "avahi_client_new"),
            let freeClient: @convention(c) (Pointer) -> Void = symbol(client, "avahi_client_free"),
            let newGroup: @convention(c) (Pointer, GroupNews, Context?) -> Pointer? = symbol(
                client, "avahi_entry_group_new"),
            let addService:
                @convention(c) (Pointer, Int32, Int32, Int32, Text, Text, Text?, Text?, UInt16, Pointer?) -> Int32 =
                symbol(client, "avahi_entry_group_add_service_strlst"),
            let updateTexts: @convention(c) (Pointer, Int32, Int32, Int32, Text, Text, Text?, Pointer?) -> Int32 =
                symbol(client, "avahi_entry_group_update_service_txt_strlst"),
            let commit: @convention(c) (Pointer) -> Int32 = symbol(client, "avahi_entry_group_commit"),
            let reset: @convention(c) (Pointer) -> Int32 = symbol(client, "avahi_entry_group_reset"),
            let freeGroup: @convention(c) (Pointer) -> Int32 = symbol(client, "avahi_entry_group_free"),
            let newBrowser:
                @convention(c) (Pointer, Int32, Int32, Text, Text?, Int32, BrowserNews, Context?) -> Pointer? = symbol(
                    client, "avahi_service_browser_new"),
            let freeBrowser: @convention(c) (Pointer) -> Int32 = symbol(client, "avahi_service_browser_free"),
            let newResolver:
                @convention(c) (Pointer, Int32, Int32, Text, Text, Text?, Int32, Int32, ResolverNews, Context?) ->
                    Pointer? = symbol(client, "avahi_service_resolver_new"),
            let freeResolver: @convention(c) (Pointer) -> Int32 = symbol(client, "avahi_service_resolver_free")
        else { return nil }
        self.newPoll = newPoll
        self.poll = poll
        self.iterate = iterate
        self.wakeUp = wakeUp
        self.freePoll = freePoll
        self.addText = addText
        self.nextText = nextText
        self.textBytes = textBytes
        self.textCount = textCount
        self.freeTexts = freeTexts
        self.printAddress = printAddress
        self.newClient = newClient
        self.freeClient = freeClient
        self.newGroup = newGroup
        self.addService = addService
        self.updateTexts = updateTexts
        self.commit = commit
        self.reset = reset
        self.freeGroup = freeGroup
        self.newBrowser = newBrowser
        self.freeBrowser = freeBrowser
        self.newResolver = newResolver
        self.freeResolver = freeResolver
    }
}
