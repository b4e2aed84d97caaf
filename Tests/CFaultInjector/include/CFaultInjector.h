// The shared memory by which a test reads how far a program with injected faults has come (see FaultInjector.c).
#pragma once
#include <stdint.h>

/// The kinds of calls that are counted, in the order of the names in FaultInjector.c.
enum { fault_write, fault_sync, fault_open, fault_rename, fault_truncate, fault_kinds };

/// The content of the file that BLIPCHAT_FAULT_BOARD names.
struct fault_board {
    /// Calls so far that concern files below the root, by kind.
    uint64_t calls[fault_kinds];
    /// How many of them were made to fail.
    uint64_t fired;
};
