// The tables, as the list of steps that lead to them. A step that has been released never changes.

/// The steps of the schema: `migrations[n]` leads from `user_version` n to n + 1.
enum Schema {
    /// Marks the file as ours (`PRAGMA application_id`, "BLIP").
    static let applicationID: Int64 = 0x424C_4950

    static let migrations = [
        firstWhole, operationsAndGaps, folders, atSize, pins, fewerPages, aboutContacts, otherKeys, manyOfOneKind,
        times, composed, namesOfTheirOwn, reasons, rooms, meetings,
    ]

    /// Version 1. Positions and numbers are AUTOINCREMENT: they are never used twice, even after deletions.
    private static let firstWhole = """
        CREATE TABLE contacts(
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            peer_id TEXT UNIQUE,              -- base32 of the pinned key; NULL until the first contact
            name TEXT NOT NULL,
            folded_name TEXT NOT NULL UNIQUE, -- lower case, for comparison
            addresses TEXT NOT NULL,          -- blip:// addresses, one a line, best first
            trust TEXT NOT NULL,
            blocked INTEGER NOT NULL DEFAULT 0,
            added INTEGER NOT NULL,
            last_seen INTEGER
        ) STRICT;
        CREATE TABLE contact_requests(
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            peer_id TEXT NOT NULL UNIQUE,
            name TEXT NOT NULL,
            address TEXT,
            origin TEXT NOT NULL,
            received INTEGER NOT NULL
        ) STRICT;
        -- What would have to be counted over all messages, kept up to date in the transactions that change it.
        CREATE TABLE conversations(
            contact INTEGER PRIMARY KEY REFERENCES contacts(id) ON DELETE CASCADE,
            last_message INTEGER,
            message_count INTEGER NOT NULL DEFAULT 0,
            unread INTEGER NOT NULL DEFAULT 0,
            next_sequence INTEGER NOT NULL DEFAULT 1,
            seen INTEGER NOT NULL DEFAULT 0,              -- position up to which our user has seen
            receipt_confirmed INTEGER NOT NULL DEFAULT 0  -- position up to which the peer knows that
        ) STRICT;
        CREATE TABLE messages(
            position INTEGER PRIMARY KEY AUTOINCREMENT,
            contact INTEGER NOT NULL REFERENCES contacts(id) ON DELETE CASCADE,
            outgoing INTEGER NOT NULL,
            id TEXT NOT NULL,
            sequence INTEGER NOT NULL,
            sent INTEGER NOT NULL,
            stored INTEGER NOT NULL,
            state INTEGER NOT NULL,           -- rank of DeliveryState; incoming ones derive theirs from `seen`
            reason TEXT,                      -- why it failed
            reply_to TEXT,
            text TEXT,                        -- NULL for a file
            UNIQUE(contact, outgoing, id)
        ) STRICT;
        CREATE INDEX messages_by_conversation ON messages(contact, position);
        CREATE INDEX messages_by_id ON messages(id);
        CREATE INDEX messages_not_read ON messages(contact, position) WHERE outgoing = 1 AND state < 4;
        CREATE TABLE transfers(
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            position INTEGER NOT NULL UNIQUE REFERENCES messages(position) ON DELETE CASCADE,
            id TEXT NOT NULL UNIQUE,
            contact INTEGER NOT NULL,
            outgoing INTEGER NOT NULL,
            name TEXT NOT NULL,
            size INTEGER NOT NULL,
            modified INTEGER NOT NULL,
            content_type TEXT NOT NULL,
            caption TEXT NOT NULL,
            state TEXT NOT NULL,
            reason TEXT,
            transferred INTEGER NOT NULL,
            sha256 TEXT,
            path TEXT,
            offered INTEGER NOT NULL,
            started INTEGER,
            finished INTEGER
        ) STRICT;
        CREATE INDEX transfers_unfinished ON transfers(number)
            WHERE state IN ('offered', 'accepted', 'running', 'paused');
        CREATE TABLE outbox(
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            contact INTEGER NOT NULL REFERENCES contacts(id) ON DELETE CASCADE,
            position INTEGER UNIQUE REFERENCES messages(position) ON DELETE CASCADE,
            transfer TEXT UNIQUE,             -- or: news of this transfer
            transfer_state TEXT
        ) STRICT;
        CREATE INDEX outbox_by_contact ON outbox(contact, id);
        CREATE TABLE drafts(
            contact INTEGER PRIMARY KEY REFERENCES contacts(id) ON DELETE CASCADE,
            text TEXT NOT NULL
        ) STRICT;
        CREATE TABLE settings(key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
        -- Without content of their own: the rowid is the position, the text is in `messages`.
        CREATE VIRTUAL TABLE words USING fts5(
            text, content='', tokenize='unicode61 remove_diacritics 2', prefix='2 3');
        CREATE VIRTUAL TABLE trigrams USING fts5(text, content='', tokenize='trigram');
        """

    /// Version 2: what is done to messages (PROTOCOL 4 `edit`, `retract`, `react`), and what is missing (RELIABILITY D5).
    private static let operationsAndGaps = """
        -- `text` is what a message says now (empty once it is retracted); what it was entered with stays in `first_text`.
        ALTER TABLE messages ADD COLUMN first_text TEXT;
        ALTER TABLE messages ADD COLUMN edited INTEGER;
        ALTER TABLE messages ADD COLUMN retracted INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE messages ADD COLUMN own_reaction TEXT;
        ALTER TABLE messages ADD COLUMN peer_reaction TEXT;
        ALTER TABLE messages ADD COLUMN last_operation INTEGER;            -- the number of our latest one on it
        ALTER TABLE messages ADD COLUMN missing_before INTEGER NOT NULL DEFAULT 0;
        CREATE TABLE operations(
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            contact INTEGER NOT NULL REFERENCES contacts(id) ON DELETE CASCADE,
            outgoing INTEGER NOT NULL,
            id TEXT NOT NULL,
            numbering INTEGER NOT NULL,       -- the sender's numbering that `sequence` belongs to
            sequence INTEGER NOT NULL,
            sent INTEGER NOT NULL,
            stored INTEGER NOT NULL,
            state INTEGER NOT NULL,           -- rank of DeliveryState
            reason TEXT,
            kind TEXT NOT NULL,               -- edit, retract, react
            target TEXT NOT NULL,             -- id of a message that may not be here (yet)
            text TEXT,                        -- the new text; the emoji, NULL when it is taken back
            UNIQUE(contact, outgoing, id)
        ) STRICT;
        CREATE INDEX operations_by_target ON operations(contact, target);
        ALTER TABLE outbox ADD COLUMN operation INTEGER REFERENCES operations(number) ON DELETE CASCADE;
        -- The sender's next number, and how often they have begun to count anew.
        ALTER TABLE conversations ADD COLUMN expected_sequence INTEGER NOT NULL DEFAULT 1;
        ALTER TABLE conversations ADD COLUMN numbering INTEGER NOT NULL DEFAULT 0;
        UPDATE conversations SET expected_sequence = 1 + coalesce(
            (SELECT min(max(sequence), 9223372036854775806) FROM messages m
             WHERE m.contact = conversations.contact AND m.outgoing = 0), 0);
        -- Committed, but not shown before what it overtook is there or given up.
        CREATE TABLE held(
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            contact INTEGER NOT NULL REFERENCES contacts(id) ON DELETE CASCADE,
            id TEXT NOT NULL,
            sequence INTEGER NOT NULL,
            sent INTEGER NOT NULL,
            stored INTEGER NOT NULL,
            kind TEXT NOT NULL,               -- text, file, edit, retract, react
            text TEXT,                        -- as in messages and operations; a file's caption
            reply_to TEXT,
            target TEXT,
            name TEXT,
            size INTEGER,
            modified INTEGER,
            content_type TEXT,
            UNIQUE(contact, id)
        ) STRICT;
        CREATE INDEX held_in_order ON held(contact, sequence, number);
        -- Numbers of a sender that were given up, and the positions that are kept for them.
        CREATE TABLE gaps(
            contact INTEGER NOT NULL REFERENCES contacts(id) ON DELETE CASCADE,
            first INTEGER NOT NULL,
            last INTEGER NOT NULL,
            position INTEGER NOT NULL,        -- of `first`
            marker INTEGER,                   -- the message that shows it; 0: none, NULL: the next one
            PRIMARY KEY(contact, first)
        ) STRICT, WITHOUT ROWID;
        """

    /// Version 3: files that belong to a folder which was sent as a whole; all four are NULL for others.
    private static let folders = """
        ALTER TABLE transfers ADD COLUMN folder_set TEXT;
        ALTER TABLE transfers ADD COLUMN folder TEXT;
        ALTER TABLE transfers ADD COLUMN folder_files INTEGER;
        ALTER TABLE transfers ADD COLUMN folder_bytes INTEGER;
        ALTER TABLE held ADD COLUMN folder_set TEXT;
        ALTER TABLE held ADD COLUMN folder TEXT;
        ALTER TABLE held ADD COLUMN folder_files INTEGER;
        ALTER TABLE held ADD COLUMN folder_bytes INTEGER;
        CREATE INDEX transfers_by_folder ON transfers(folder_set) WHERE folder_set IS NOT NULL;
        """

    /// Version 4. How long a conversation is kept; and indexes that can be checked against the messages, made anew and
    /// emptied for good. The views call functions of SearchIndex.
    private static let atSize = """
        ALTER TABLE conversations ADD COLUMN keep_days INTEGER;  -- NULL: as configured, 0: forever
        DROP TABLE words;
        DROP TABLE trigrams;
        CREATE VIEW searchable_words(position, text) AS
            SELECT m.position, blip_words(
                CASE WHEN m.retracted THEN '' ELSE coalesce(m.text, t.name || char(10) || t.caption) END)
            FROM messages m LEFT JOIN transfers t ON t.position = m.position;
        CREATE VIEW searchable_parts(position, text) AS
            SELECT m.position, blip_parts(
                CASE WHEN m.retracted THEN '' ELSE coalesce(m.text, t.name || char(10) || t.caption) END)
            FROM messages m LEFT JOIN transfers t ON t.position = m.position;
        -- Symbols (emoji) are words, too; blip_words sets them apart.
        CREATE VIRTUAL TABLE words USING fts5(
            text, content='searchable_words', content_rowid='position', prefix='1 2 3',
            tokenize="unicode61 remove_diacritics 2 categories 'L* N* Co So'");
        -- Only which message has which three characters: a third of the space; what is found must be looked at.
        CREATE VIRTUAL TABLE trigrams USING fts5(
            text, content='searchable_parts', content_rowid='position', tokenize='trigram', detail=none);
        -- New messages that are not in the indexes yet: a commit of one message must not pay for them.
        CREATE TABLE unindexed(position INTEGER PRIMARY KEY REFERENCES messages(position) ON DELETE CASCADE) STRICT;
        INSERT INTO words(words) VALUES ('rebuild');
        INSERT INTO trigrams(trigrams) VALUES ('rebuild');
        """

    /// Version 5: what our user has pinned.
    private static let pins = """
        ALTER TABLE messages ADD COLUMN pinned INTEGER;  -- when; NULL: it is not
        CREATE INDEX messages_pinned ON messages(contact, pinned) WHERE pinned IS NOT NULL;
        """

    /// Version 6. A send is as fast as few pages have to reach the disk with it, and every index is one: what a contact's
    /// rows or a mark can tell needs none.
    private static let fewerPages = """
        DROP INDEX messages_by_id;
        DROP INDEX messages_not_read;
        -- Of our messages up to this position none waits for a read receipt; NULL: not known.
        ALTER TABLE conversations ADD COLUMN settled INTEGER;
        ALTER TABLE outbox RENAME TO outbox_before;
        CREATE TABLE outbox(
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            contact INTEGER NOT NULL REFERENCES contacts(id) ON DELETE CASCADE,
            position INTEGER,                 -- of a message
            transfer TEXT,                    -- or: news of this transfer
            transfer_state TEXT,
            operation INTEGER                 -- or: the number of an operation
        ) STRICT;
        INSERT INTO outbox(id, contact, position, transfer, transfer_state, operation)
            SELECT id, contact, position, transfer, transfer_state, operation FROM outbox_before;
        DROP TABLE outbox_before;
        CREATE INDEX outbox_by_contact ON outbox(contact, id);
        -- How far the search indexes have come. What is behind that waits, and so does what is in `unindexed`: late
        -- messages, which are put into places that were kept for them.
        CREATE TABLE indexed(position INTEGER NOT NULL) STRICT;
        INSERT INTO indexed SELECT coalesce(max(position), 0) FROM messages;
        CREATE VIEW waiting(position) AS SELECT position FROM unindexed
            UNION ALL SELECT m.position FROM messages m WHERE m.position > (SELECT position FROM indexed);
        """

    /// Version 7: what our user has decided about single contacts.
    private static let aboutContacts = """
        ALTER TABLE contacts ADD COLUMN verified_at INTEGER;
        ALTER TABLE contacts ADD COLUMN muted_until INTEGER;   -- the largest number: for good
        ALTER TABLE contacts ADD COLUMN accept_up_to INTEGER;  -- bytes; NULL: as configured
        """

    /// Version 8: the keys of a contact beside the pinned one.
    private static let otherKeys = """
        ALTER TABLE contacts ADD COLUMN new_peer_id TEXT;      -- what answered instead, until our user has decided
        ALTER TABLE contacts ADD COLUMN former_peer_ids TEXT;  -- replaced by our user, one a line, the latest last
        """

    /// Version 9: what a contact may make very many of is looked up and neither gone through nor sorted with each message.
    private static let manyOfOneKind = """
        DROP INDEX operations_by_target;
        CREATE INDEX operations_by_target ON operations(contact, target, outgoing, kind, numbering, sequence);
        CREATE INDEX gaps_not_shown ON gaps(contact) WHERE marker IS NULL;
        """

    /// Version 10: where in the history which times are, for searches by date. The times are those that are shown.
    private static let times = """
        CREATE TABLE shown_times(
            block INTEGER PRIMARY KEY,        -- of 1024 positions: position >> 10
            earliest INTEGER NOT NULL,
            latest INTEGER NOT NULL
        ) STRICT;
        INSERT INTO shown_times SELECT position >> 10, min(shown), max(shown) FROM (
            SELECT position, CASE WHEN stored - sent BETWEEN 0 AND 2592000000 THEN sent ELSE stored END AS shown
            FROM messages) GROUP BY 1;
        """

    /// Version 11: searches find texts that look the same (SearchForm). What is spelled in another way leaves the indexes by
    /// the views with which it came, and comes back by those of the new form with the messages that wait; all others stay.
    private static let composed = """
        CREATE TEMP TABLE respelled AS SELECT m.position AS position
            FROM messages m LEFT JOIN transfers t ON t.position = m.position
            WHERE blip_respelled(coalesce(m.text, t.name || char(10) || t.caption), '')
                AND m.position NOT IN (SELECT position FROM waiting);
        DELETE FROM words WHERE rowid IN (SELECT position FROM respelled);
        DELETE FROM trigrams WHERE rowid IN (SELECT position FROM respelled);
        INSERT INTO unindexed SELECT position FROM respelled;
        DROP TABLE respelled;
        DROP VIEW searchable_words;
        DROP VIEW searchable_parts;
        CREATE VIEW searchable_words(position, text) AS
            SELECT m.position, blip_composed_words(
                CASE WHEN m.retracted THEN '' ELSE coalesce(m.text, t.name || char(10) || t.caption) END)
            FROM messages m LEFT JOIN transfers t ON t.position = m.position;
        CREATE VIEW searchable_parts(position, text) AS
            SELECT m.position, blip_composed_parts(
                CASE WHEN m.retracted THEN '' ELSE coalesce(m.text, t.name || char(10) || t.caption) END)
            FROM messages m LEFT JOIN transfers t ON t.position = m.position;
        """

    /// Version 12: whose name our user has not chosen takes the one that they introduce themselves with.
    private static let namesOfTheirOwn = """
        ALTER TABLE contacts ADD COLUMN name_is_provisional INTEGER NOT NULL DEFAULT 0;
        """

    /// Version 13: reasons are codes (`StoredReason`) and no longer sentences. What is put back or repaired before this step
    /// has codes already. Sentences that no longer occur, or have values in them, are kept word for word.
    private static let reasons = """
        UPDATE transfers SET reason = CASE reason
            WHEN 'waiting for the contact to be online' THEN 'waiting-for-peer'
            WHEN 'waiting for the contact to fetch it' THEN 'waiting-for-receiver'
            WHEN 'waiting for its turn' THEN 'waiting-for-turn'
            WHEN 'paused by the sender' THEN 'paused-by-peer'
            WHEN 'paused by the receiver' THEN 'paused-by-receiver'
            WHEN 'the receiver''s disk takes no more' THEN 'receivers-disk'
            WHEN 'the sender gives other files first' THEN 'sender-busy'
            WHEN 'the sender could not read the file; it is asked again' THEN 'sender-cannot-read'
            WHEN 'the receiver does not fetch it now' THEN 'receiver-stopped'
            WHEN 'another program changed the unfinished file; it is fetched anew' THEN 'partial-replaced'
            WHEN 'the file changed after it was offered (it has to be sent again)' THEN 'source-changed'
            WHEN 'the file is no longer there (it has to be sent again)' THEN 'source-gone'
            WHEN 'it was offered to their old key (it has to be sent again)' THEN 'key-changed'
            WHEN 'the received bytes differ from the sender''s file' THEN 'digest-differs'
            WHEN 'sent again' THEN 'sent-again'
            WHEN 'cancelled by the other side' THEN 'cancelled-by-peer'
            WHEN 'declined by the other side' THEN 'declined-by-peer'
            WHEN 'the history was restored; send the file again' THEN 'history-restored'
            WHEN 'not complete before the export' THEN 'incomplete-in-export'
            WHEN 'its state in the history was damaged' THEN 'state-damaged'
            WHEN 'history-restored' THEN reason
            WHEN 'state-damaged' THEN reason
            ELSE 'other ' || reason END WHERE reason IS NOT NULL;
        UPDATE messages SET reason = CASE reason
            WHEN 'deleted before it was sent' THEN 'taken-back'
            WHEN 'sent again' THEN 'sent-again'
            WHEN 'the peer has another message with this id' THEN 'id-taken'
            WHEN 'the peer does not let us change that message' THEN 'not-allowed'
            WHEN 'the peer''s program does not know this kind of message' THEN 'unknown-kind'
            WHEN 'the peer cannot read it' THEN 'unreadable'
            WHEN 'not delivered before the export' THEN 'waiting-in-export'
            WHEN 'its place in the queue was lost' THEN 'place-lost'
            WHEN 'its state in the history was damaged' THEN 'state-damaged'
            WHEN 'state-damaged' THEN reason
            ELSE 'other ' || reason END WHERE reason IS NOT NULL;
        UPDATE operations SET reason = CASE reason
            WHEN 'deleted before it was sent' THEN 'taken-back'
            WHEN 'sent again' THEN 'sent-again'
            WHEN 'the peer has another message with this id' THEN 'id-taken'
            WHEN 'the peer does not let us change that message' THEN 'not-allowed'
            WHEN 'the peer''s program does not know this kind of message' THEN 'unknown-kind'
            WHEN 'the peer cannot read it' THEN 'unreadable'
            WHEN 'not delivered before the export' THEN 'waiting-in-export'
            WHEN 'its place in the queue was lost' THEN 'place-lost'
            WHEN 'its state in the history was damaged' THEN 'state-damaged'
            WHEN 'state-damaged' THEN reason
            ELSE 'other ' || reason END WHERE reason IS NOT NULL;
        """

    /// Version 14: a contact may be a Socket.IO room (Docs/decisions/0029).
    private static let rooms = """
        ALTER TABLE contacts ADD COLUMN kind INTEGER NOT NULL DEFAULT 0;       -- 0: a person, 2: a Socket.IO room; 1 is free
        ALTER TABLE contacts ADD COLUMN room TEXT;                             -- its address, with all that is set for it
        ALTER TABLE contacts ADD COLUMN room_left INTEGER NOT NULL DEFAULT 0;  -- our user has left it
        ALTER TABLE messages ADD COLUMN sender TEXT;  -- who has written it, as the room says
        """

    /// Version 15: an invitation may have made somebody a contact.
    private static let meetings = """
        ALTER TABLE contacts ADD COLUMN met_at INTEGER;  -- when that was
        """
}
