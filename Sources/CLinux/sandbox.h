// What a process gives up for ever: descriptors, memory and time, paths (landlock(7)), system calls (seccomp(2)).
// Included by shim.h. glibc 2.36 has functions for few of these, and its headers know only the first Landlock.
#pragma once
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/// close_range(2) of everything from `first` on. Linux 5.9; -1 and ENOSYS before.
static inline int clinux_close_from(unsigned int first) { return (int)syscall(SYS_close_range, first, ~0u, 0u); }

/// PR_SET_DUMPABLE 0 and RLIMIT_CORE 0: no core of this process is ever written, and no other process of the same user
/// can read its memory or attach to it (ptrace(2)).
static inline int clinux_forbid_dumps(void) {
    struct rlimit none = {0, 0};
    int limited = setrlimit(RLIMIT_CORE, &none);
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 ? limited : -1;
}
/// Whether others may look into this process; 0 after clinux_forbid_dumps.
static inline int clinux_is_dumpable(void) { return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0); }
/// PR_SET_NO_NEW_PRIVS: no program that this process starts gets more rights than it has.
static inline int clinux_renounce_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }

enum { CLINUX_LIMIT_SECONDS, CLINUX_LIMIT_MEMORY, CLINUX_LIMIT_FILE_SIZE, CLINUX_LIMIT_DESCRIPTORS };
/// setrlimit(2), both limits: processor time (RLIMIT_CPU, in seconds), address space, size of files, number of descriptors.
static inline int clinux_limit(int kind, uint64_t value) {
    static const int kinds[] = {RLIMIT_CPU, RLIMIT_AS, RLIMIT_FSIZE, RLIMIT_NOFILE};
    struct rlimit limit = {value, value};
    return setrlimit((__rlimit_resource_t)kinds[kind], &limit);
}

/// What a ruleset governs, as Linux 6.12 has it; older kernels take the beginning of it.
struct clinux_landlock {
    uint64_t file_rights;
    uint64_t network_rights;
    uint64_t scopes;
};
/// The version of Landlock that this kernel has; 0: none, or switched off.
static inline int clinux_landlock_version(void) {
    long version = syscall(444 /* landlock_create_ruleset */, (void *)0, (size_t)0, 1u);
    return version < 0 ? 0 : (int)version;
}
/// All rights on files that version governs.
static inline uint64_t clinux_landlock_file_rights(int version) {
    int bits = version >= 5 ? 16 : version >= 3 ? 15 : version >= 2 ? 14 : version >= 1 ? 13 : 0;
    return (1ull << bits) - 1;
}
/// A ruleset, closed on exec; -1 when there is none.
static inline int clinux_landlock_create(struct clinux_landlock rules, int version) {
    size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
    return (int)syscall(444, &rules, size, 0u);
}
enum {
    CLINUX_MAY_RUN = 1 << 0,
    CLINUX_MAY_WRITE = 1 << 1,
    CLINUX_MAY_READ = 1 << 2,
    CLINUX_MAY_LIST = 1 << 3,
    CLINUX_MAY_MAKE_CHARACTER_DEVICES = 1 << 6,
    CLINUX_MAY_MAKE_BLOCK_DEVICES = 1 << 11,
    CLINUX_MAY_TRUNCATE = 1 << 14,
    CLINUX_MAY_CONTROL_DEVICES = 1 << 15,
};
/// A place for clinux_landlock_allow (O_PATH), which may not be a link; -1 on failure.
static inline int clinux_open_place(const char *path) {
    return open(path, 0x200000 /* O_PATH */ | O_NOFOLLOW | O_CLOEXEC);
}
/// The same, also through a link: /proc/self/exe is one.
static inline int clinux_open_linked_place(const char *path) { return open(path, 0x200000 /* O_PATH */ | O_CLOEXEC); }
/// LANDLOCK_RULE_PATH_BENEATH: adds rights on the file at `place`, or on the folder and all below it. -1 on failure.
static inline int clinux_landlock_allow(int ruleset, int place, uint64_t rights) {
    struct __attribute__((packed)) {
        uint64_t rights;
        int32_t place;
    } rule = {rights, place};
    return (int)syscall(445 /* landlock_add_rule */, ruleset, 1u, &rule, 0u);
}
/// The program that loads this one's libraries (PT_INTERP); a null pointer for a program that needs none.
static inline const char *clinux_interpreter(void) {
    const ElfW(Phdr) *headers = (const ElfW(Phdr) *)getauxval(AT_PHDR);
    unsigned long count = getauxval(AT_PHNUM);
    if (!headers) return 0;
    for (unsigned long i = 0; i < count; i++) {
        if (headers[i].p_type != PT_PHDR) continue;
        uintptr_t base = (uintptr_t)headers - headers[i].p_vaddr;
        for (unsigned long j = 0; j < count; j++)
            if (headers[j].p_type == PT_INTERP) return (const char *)(base + headers[j].p_vaddr);
    }
    return 0;
}
/// Keeps the calling thread, and those that it starts, to the rules for ever. Needs clinux_renounce_privileges before.
static inline int clinux_landlock_restrict(int ruleset) { return (int)syscall(446, ruleset, 0u); }
/// Gives up all paths, and with newer kernels TCP, and signals and abstract sockets of others. -1 where there is no Landlock.
static inline int clinux_give_up_paths(void) {
    int version = clinux_landlock_version();
    if (version == 0) {
        errno = ENOSYS;
        return -1;
    }
    struct clinux_landlock rules = {clinux_landlock_file_rights(version), version >= 4 ? 3 : 0, version >= 6 ? 3 : 0};
    int ruleset = clinux_landlock_create(rules, version);
    if (ruleset < 0) return -1;
    int result = clinux_landlock_restrict(ruleset);
    close(ruleset);
    return result;
}

#define CLINUX_ALLOW(call) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
/// The third argument of mmap and mprotect: memory that can be run is refused.
#define CLINUX_ALLOW_DATA(call)                                                                               \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 4),                                                   \
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),                          \
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS), \
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/// From now on this thread can compute, take memory, read and write what it has open, and end: any other system call ends
/// the process. Needs clinux_renounce_privileges before. -1 on failure, and on machines that this does not know.
static inline int clinux_keep_to_computing(void) {
#if defined(__x86_64__) && defined(__LP64__)
    const uint32_t machine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
    const uint32_t machine = AUDIT_ARCH_AARCH64;
#else
    errno = ENOSYS;
    return -1;
#endif
#if (defined(__x86_64__) && defined(__LP64__)) || defined(__aarch64__)
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, machine, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        CLINUX_ALLOW(read),
        CLINUX_ALLOW(write),
        CLINUX_ALLOW(futex),
        CLINUX_ALLOW(brk),
        CLINUX_ALLOW(munmap),
        CLINUX_ALLOW(mremap),
        CLINUX_ALLOW(madvise),
        CLINUX_ALLOW(sched_yield),
        CLINUX_ALLOW(clock_gettime),
        CLINUX_ALLOW(gettimeofday),
        CLINUX_ALLOW(getrandom),
        CLINUX_ALLOW(rt_sigreturn),
        CLINUX_ALLOW(rt_sigprocmask), // setjmp of readers that jump out of errors
        CLINUX_ALLOW(exit),
        CLINUX_ALLOW(exit_group),
        CLINUX_ALLOW_DATA(mmap),
        CLINUX_ALLOW_DATA(mprotect),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
#endif
}
