// How many times a thread has asked the heap for memory. For the allocation budgets of benchmarks and tests only:
// whatever program links this module gets its allocation functions.
#pragma once
#include <stdbool.h>
#include <stdint.h>

/// Calls of malloc, calloc, realloc and the aligned variants by this thread so far.
uint64_t callocation_count(void);

/// Whether anything is counted: not under a sanitizer, which has allocation functions of its own.
bool callocation_counts(void);
