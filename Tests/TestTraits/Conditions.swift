// What a test needs of the machine, and the sentence with which it is skipped where that is missing.

import Glibc
package import Testing

extension Trait where Self == ConditionTrait {
    /// strace and /proc show nobody but root what blipchat does: it is not dumpable (SECURITY.md).
    package static var looksIntoBlipchat: Self {
        .enabled(if: geteuid() == 0, "only root may look into blipchat (strace, /proc)")
    }
}
