// A picture in one piece: curses writes it in dozens of them, which would be seen coming, and wake the terminal for each.

import CLinux
import Glibc

/// Holds what curses writes until a picture is whole.
///
/// After `newterm` curses writes each move of the cursor at once, and nothing but an `endwin` changes that, which would
/// show the screen of before for a moment. So its descriptor leads to memory while it paints.
struct OutputStage {
    /// The descriptor that curses writes to, and closes.
    private let curses: Int32
    private let terminal: Int32
    private let memory: Int32

    /// `nil` without a descriptor to spare: then curses writes as it likes.
    init?(of curses: Int32, to terminal: Int32) {
        memory = clinux_memory_file("picture")
        guard memory >= 0 else { return nil }
        self.curses = curses
        self.terminal = terminal
    }

    /// Anything that curses writes from now on waits for `take`.
    func begin() { _ = clinux_replace_descriptor(curses, memory) }

    /// Curses writes to the terminal again. Returns what it has written since `begin`.
    func take() -> [UInt8] {
        _ = clinux_replace_descriptor(curses, terminal)
        let length = max(0, lseek(memory, 0, SEEK_CUR))
        guard length > 0, lseek(memory, 0, SEEK_SET) == 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: length) { bytes, count in
            count = max(0, pread(memory, bytes.baseAddress, length, 0))
        }
    }

    func end() { close(memory) }
}
