// The tests with real curses, one after the other: it keeps its state in globals, and signals go to the whole process.

import Testing

@Suite("Real terminals", .serialized)
struct RealTerminals {}
