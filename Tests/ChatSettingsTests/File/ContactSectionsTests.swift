// The sections of contacts in config.toml, as the chat moves them.

import ChatCore
import TestSupport
import Testing

@testable import ChatSettings

@Suite("Sections of contacts") struct ContactSectionsTests {
    private let directory: TemporaryDirectory
    private let paths: HomePaths

    init() throws {
        directory = try TemporaryDirectory()
        paths = HomePaths(home: directory.path)
    }

    @Test("a section is there under both names, then under the new one; without one nothing is written or read for")
    func moves() async throws {
        let sections = ContactSections(paths: paths, home: nil)
        #expect(try await !sections.copy("bob", to: "rob"))
        #expect(TestFile.size(paths.configuration) == nil)
        try TestFile.write("[contact.\"Bob\"]\nreceipts = \"off\"\n", to: paths.configuration)
        #expect(try await sections.copy("bob", to: "Rob"))
        let both = "[contact.\"Rob\"]\nreceipts = \"off\"\n[contact.\"Bob\"]\nreceipts = \"off\"\n"
        #expect(TestFile.text(paths.configuration) == both)
        // Again, as after a crash in between.
        #expect(try await sections.copy("bob", to: "Rob"))
        #expect(TestFile.text(paths.configuration) == both)
        await sections.remove("BOB")
        #expect(TestFile.text(paths.configuration) == "[contact.\"Rob\"]\nreceipts = \"off\"\n")
    }

    @Test("a file that cannot be changed as a whole is said, with its place, and stays as it is")
    func refuses() async throws {
        let text = "[contact.\"Bob\"]\nreceipts = \"maybe\"\n"
        try TestFile.write(text, to: paths.configuration)
        let sections = ContactSections(paths: paths, home: nil)
        let error = await #expect(throws: NamedSettingsError.self) { try await sections.copy("bob", to: "rob") }
        #expect(error?.reason.contains("config.toml:2") == true, "\(String(describing: error))")
        #expect(TestFile.text(paths.configuration) == text)
    }
}
