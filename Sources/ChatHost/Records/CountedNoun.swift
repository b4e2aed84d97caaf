// Numbers of things in sentences: `1 message`, `2 messages`.

extension Int {
    /// This many of `noun`, whose plural is made with an s.
    package func counted(_ noun: String) -> String { self == 1 ? "1 \(noun)" : "\(self) \(noun)s" }
}
