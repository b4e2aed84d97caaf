// The picture of `blipchat demo`.

import Testing

@testable import blipchat

@Suite("The picture of the demo") struct DemoPictureTests {
    @Test("draws a picture file that begins and ends like a PNG")
    func picture() {
        let file = DemoPicture.file()
        #expect(file.starts(with: [0x89, 0x50, 0x4E, 0x47]))
        #expect(Array(file.suffix(12)) == [0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82])
        #expect(file.count > 1_000_000)
    }
}
