// The part of kitty's graphics protocol that previews need: is it there, here is a picture, forget them.
// (sw.kovidgoyal.net/kitty/graphics-protocol, "Unicode placeholders".)

import ChatCore
import ChatWords

/// Sequences of the protocol, and the cells in which pictures appear.
enum KittyGraphics {
    /// Asks with one pixel whether the protocol is known, with the key of the placeholders (`U=1`): a kitty before 0.28
    /// takes that for a malformed command and is silent, where it would draw a red box for each placeholder.
    static let query = "\u{1B}_Gi=31,s=1,v=1,a=q,U=1,t=d,f=24;AAAA\u{1B}\\"
    /// The number of the query, and where the answer begins.
    static let answer = "Gi=31;OK"
    /// Takes all pictures and their data away.
    static let deleteAll = "\u{1B}_Ga=d,d=A,q=2\u{1B}\\"
    private static let chunkBytes = 4_096

    /// Hands over the pixels and gives them a place of `size` cells, which appears wherever its placeholders are.
    static func transmit(_ image: PixelImage, number: UInt8, size: Size) -> String {
        var rest = image.bytes.base64[...]
        var text = ""
        var keys = "a=T,U=1,q=2,f=24,i=\(number),s=\(image.width),v=\(image.height),c=\(size.columns),r=\(size.rows),"
        while !rest.isEmpty {
            let chunk = rest.prefix(chunkBytes)
            rest = rest.dropFirst(chunkBytes)
            text += "\u{1B}_G\(keys)m=\(rest.isEmpty ? 0 : 1);\(chunk)\u{1B}\\"
            keys = "q=2,"
        }
        return text
    }

    /// Which mark means which number, from 0: the beginning of the protocol's table.
    static let marks: [Unicode.Scalar] = [
        0x305, 0x30D, 0x30E, 0x310, 0x312, 0x33D, 0x33E, 0x33F, 0x346, 0x34A, 0x34B, 0x34C, 0x350, 0x351, 0x352, 0x357,
        0x35B, 0x363, 0x364, 0x365, 0x366, 0x367, 0x368, 0x369, 0x36A, 0x36B, 0x36C, 0x36D, 0x36E, 0x36F, 0x483, 0x484,
        0x485, 0x486, 0x487, 0x592, 0x593, 0x594, 0x595, 0x597, 0x598, 0x599, 0x59C, 0x59D, 0x59E, 0x59F, 0x5A0, 0x5A1,
    ].compactMap(Unicode.Scalar.init)
}
