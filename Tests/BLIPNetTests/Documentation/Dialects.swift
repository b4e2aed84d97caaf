// The listings of the article "Dialects".

import BLIPNet

/// A server for everybody: peers that speak BLIP_3, and old ones that say `BLIP` or nothing.
func listenToEverybody(options: LinkOptions, handler: any BLIPRequestHandler) throws -> LinkListener {
    var options = options
    options.application = "example_1"
    options.dialects = [.blip3, .blip2013]
    return try LinkListener.listen(on: .host("127.0.0.1", port: 0), options: options) { _ in handler }
}
