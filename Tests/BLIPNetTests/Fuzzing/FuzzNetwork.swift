// The fuzz targets of the network: decoders and whole sessions of BLIPNet.

import TestSupport

extension FuzzTarget {
    /// The targets of this folder.
    static let network: [FuzzTarget] = [
        FuzzTarget(name: "varint", run: fuzzVarint),
        FuzzTarget(name: "properties", run: fuzzProperties),
        FuzzTarget(name: "inflate", run: fuzzInflate),
        FuzzTarget(name: "gzip-body", run: fuzzGzipBody),
        FuzzTarget(name: "blip-frames", run: fuzzBLIPFrames),
        FuzzTarget(name: "blip-message", run: fuzzBLIPMessage),
        FuzzTarget(name: "blip-operations", run: fuzzBLIPOperations),
        FuzzTarget(name: "http-head", run: fuzzHTTPHead),
        FuzzTarget(name: "http-values", run: fuzzHTTPValues),
        FuzzTarget(name: "url", run: fuzzURL),
        FuzzTarget(name: "websocket-frames", run: fuzzWebSocketFrames),
        FuzzTarget(name: "websocket-deflate", run: fuzzPermessageDeflate),
        FuzzTarget(name: "websocket-server", run: fuzzWebSocketServer),
        FuzzTarget(name: "websocket-client", run: fuzzWebSocketClient),
        FuzzTarget(name: "engineio", run: fuzzEngineIO),
        FuzzTarget(name: "socketio-packets", run: fuzzSocketIOPackets),
        FuzzTarget(name: "socketio-client", run: fuzzSocketIOClient),
        FuzzTarget(name: "tap", run: fuzzTap),
        FuzzTarget(name: "tls", run: fuzzTLS),
        FuzzTarget(name: "session", run: fuzzSession),
        FuzzTarget(name: "relay", run: fuzzRelay),
        FuzzTarget(name: "router", run: fuzzRouter),
        FuzzTarget(name: "tor", run: fuzzTor),
        FuzzTarget(name: "certificate", run: fuzzCertificate),
        FuzzTarget(name: "key-restore", limit: .seconds(2), run: fuzzKeyRestore),
    ]
}
