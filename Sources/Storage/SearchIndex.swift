// What of a message goes into the full-text index, and how it gets in and out.

internal import ChatCore

enum SearchIndex {
    /// A retracted message is not in the index.
    static func add(_ message: ChatMessage, in connection: SQLiteConnection) throws(StoreError) {
        guard !message.isRetracted else { return }
        let text = SQLiteValue.text(indexedText(of: message))
        let position = SQLiteValue.integer(message.position.rawValue)
        try connection.run("INSERT INTO words(rowid, text) VALUES (?, ?)", position, text)
        try connection.run("INSERT INTO trigrams(rowid, text) VALUES (?, ?)", position, text)
    }

    /// The tables have no content of their own, so a deletion has to repeat what was inserted
    /// (https://www.sqlite.org/fts5.html#the_delete_command).
    static func remove(_ message: ChatMessage, in connection: SQLiteConnection) throws(StoreError) {
        guard !message.isRetracted else { return }
        let text = SQLiteValue.text(indexedText(of: message))
        let position = SQLiteValue.integer(message.position.rawValue)
        try connection.run("INSERT INTO words(words, rowid, text) VALUES ('delete', ?, ?)", position, text)
        try connection.run("INSERT INTO trigrams(trigrams, rowid, text) VALUES ('delete', ?, ?)", position, text)
    }

    /// The words of a message: its text, or a file's name and caption, without characters that nobody can see and
    /// so nobody would type (PRODUCT, "Hostile text").
    static func indexedText(of message: ChatMessage) -> String {
        switch message.content {
        case .text(let text): withoutInvisible(text)
        case .file(let transfer): withoutInvisible(transfer.name + "\n" + transfer.caption)
        }
    }

    static func withoutInvisible(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isInvisible) else { return text }
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            // A NUL would end the text for the tokenizer.
            if scalar.value == 0 { scalars.append(" ") } else if !isInvisible(scalar) { scalars.append(scalar) }
        }
        return String(scalars)
    }

    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value == 0 || scalar.properties.isDefaultIgnorableCodePoint
    }
}
