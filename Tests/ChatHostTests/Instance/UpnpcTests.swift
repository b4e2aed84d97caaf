// What upnpc says (2.2.4 in front of miniupnpd 2.3.1); `make reach ARGS=upnpc` runs the program itself.

import BLIPNet
import Testing

@testable import ChatHost

@Suite struct UpnpcTests {
    @Test("the place outside is in the line of the mapping, and in no other one")
    func place() {
        let output = """
            upnpc : miniupnpc library test client, version 2.2.4.
            List of UPNP devices found on the network :
             desc: http://10.0.1.1:5000/rootDesc.xml
            Found valid IGD : http://10.0.1.1:5000/ctl/IPConn
            Local LAN ip address : 10.0.1.2
            ExternalIPAddress = 11.0.0.11
            InternalIP:Port = 10.0.1.2:4985
            external 11.0.0.11:4986 TCP is redirected to internal 10.0.1.2:4985 (duration=3600)
            """
        #expect(Upnpc.place(in: output) == .host("11.0.0.11", port: 4986))
    }

    @Test(
        "output without a mapping names no place",
        arguments: [
            "", "No IGD UPnP Device found on the network !", "external", "external 11.0.0.11:4986",
            "external nonsense TCP is", "AddPortMapping(4985, 4985, 10.0.1.2) failed",
        ])
    func noPlace(output: String) { #expect(Upnpc.place(in: output) == nil) }

    @Test("without the program, or where it finds no router, nothing is mapped")
    func missing() async {
        await #expect(throws: MappingFailure.noProgram) {
            _ = try await Upnpc(program: "blipchat-has-no-such-program").map(4985, ownHost: "127.0.0.1")
        }
        // It ends with another code than 0.
        await #expect(throws: MappingFailure.silent) {
            _ = try await Upnpc(program: "false").map(4985, ownHost: "127.0.0.1")
        }
    }
}
