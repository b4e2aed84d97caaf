// Preloaded into a program (LD_PRELOAD): lets the Nth call of a kind fail, be short, or be the last one before a kill.
//
// BLIPCHAT_FAULT_ROOT   only calls on regular files below this folder count
// BLIPCHAT_FAULT        KIND:ACTION:N[:COUNT]; KIND write, sync, open, rename or truncate; ACTION EIO, ENOSPC, EMFILE,
//                       short (half of the bytes, really written) or kill; N counts from 1, COUNT calls fail (default 1)
// BLIPCHAT_FAULT_PLAIN  set: below the folder there are no hard links and no RENAME_NOREPLACE, as on exFAT or through FUSE
// BLIPCHAT_FAULT_HANG   a path that cannot be opened, nor anything below it, until a file of that name with .awake exists
// BLIPCHAT_FAULT_BOARD  a file of a `struct fault_board`, written while the program runs
//
// Calls are counted over the whole process, so the Nth one means the same at each run.
#define _GNU_SOURCE
#include "CFaultInjector.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>
#include <linux/openat2.h>

enum action { passes, fails, is_short, kills };

static const char *const names[fault_kinds] = {"write", "sync", "open", "rename", "truncate"};
static int is_plain;
static char hanging[4096], awake[4200];
static char root[4096];
static size_t root_length;
static int wanted_kind = -1, wanted_error;
static enum action wanted_action;
static uint64_t first_call, call_count = 1;
static struct fault_board own_board, *board = &own_board;

// The next definition of a function: glibc's.
#define NEXT(name) ((__typeof__(&name))next_symbol(#name))
static void *next_symbol(const char *name) { return dlsym(RTLD_NEXT, name); }

__attribute__((constructor)) static void begin(void) {
    const char *text = getenv("BLIPCHAT_FAULT_ROOT");
    if (text != NULL && realpath(text, root) != NULL) root_length = strlen(root);
    is_plain = getenv("BLIPCHAT_FAULT_PLAIN") != NULL;
    text = getenv("BLIPCHAT_FAULT_HANG");
    if (text != NULL && strlen(text) < sizeof hanging) {
        strcpy(hanging, text);
        snprintf(awake, sizeof awake, "%s.awake", text);
    }
    char kind[16] = "", action[16] = "";
    unsigned long long n = 0, count = 1;
    text = getenv("BLIPCHAT_FAULT");
    if (text != NULL && sscanf(text, "%15[^:]:%15[^:]:%llu:%llu", kind, action, &n, &count) >= 3) {
        for (int index = 0; index < fault_kinds; index++)
            if (strcmp(kind, names[index]) == 0) wanted_kind = index;
        first_call = n;
        call_count = count;
        wanted_action = strcmp(action, "short") == 0 ? is_short : strcmp(action, "kill") == 0 ? kills : fails;
        wanted_error = strcmp(action, "ENOSPC") == 0 ? ENOSPC : strcmp(action, "EMFILE") == 0 ? EMFILE : EIO;
    }
    text = getenv("BLIPCHAT_FAULT_BOARD");
    int descriptor = text == NULL ? -1 : (int)syscall(SYS_openat, AT_FDCWD, text, O_RDWR | O_CLOEXEC, 0);
    if (descriptor >= 0) {
        void *memory = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
        if (memory != MAP_FAILED) board = memory;
        close(descriptor);
    }
}

static int is_below_root(const char *path) {
    return root_length > 0 && strncmp(path, root, root_length) == 0 &&
           (path[root_length] == '/' || path[root_length] == 0);
}

static int concerns_descriptor(int descriptor) {
    struct stat status;
    if (root_length == 0 || fstat(descriptor, &status) != 0) return 0;
    if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) return 0;
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    return is_below_root(path);
}

static int concerns_path(int directory, const char *path) {
    if (path == NULL || root_length == 0) return 0;
    if (path[0] == '/') return is_below_root(path);
    return directory == AT_FDCWD ? 0 : concerns_descriptor(directory);
}

/// A server that has gone away: whoever comes to its mount point waits.
static void wait_at_mount(int directory, const char *path) {
    if (hanging[0] == 0 || path == NULL) return;
    const char *name = strrchr(hanging, '/') + 1;
    size_t length = strlen(hanging);
    // Walked step by step, it comes as a name in the folder that it stands in.
    int is_there = path[0] == '/' ? strncmp(path, hanging, length) == 0 && (path[length] == '/' || path[length] == 0)
                                  : directory != AT_FDCWD && strcmp(path, name) == 0;
    while (is_there && NEXT(syscall)(SYS_faccessat, AT_FDCWD, awake, F_OK) != 0) usleep(20000);
}

/// What becomes of this call; counts it.
static enum action decide(int kind) {
    uint64_t number = __atomic_add_fetch(&board->calls[kind], 1, __ATOMIC_SEQ_CST);
    if (kind != wanted_kind || number < first_call || number - first_call >= call_count) return passes;
    __atomic_add_fetch(&board->fired, 1, __ATOMIC_SEQ_CST);
    if (wanted_action == kills) {
        kill(getpid(), SIGKILL);
        for (;;) pause();
    }
    if (wanted_action == fails) errno = wanted_error;
    return wanted_action;
}

static enum action decide_on(int kind, int descriptor) {
    return concerns_descriptor(descriptor) ? decide(kind) : passes;
}

static size_t part(enum action action, size_t count) { return action == is_short ? (count + 1) / 2 : count; }

ssize_t write(int descriptor, const void *bytes, size_t count) {
    enum action action = decide_on(fault_write, descriptor);
    return action == fails ? -1 : NEXT(write)(descriptor, bytes, part(action, count));
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    enum action action = decide_on(fault_write, descriptor);
    return action == fails ? -1 : NEXT(pwrite)(descriptor, bytes, part(action, count), offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
    enum action action = decide_on(fault_write, descriptor);
    return action == fails ? -1 : NEXT(pwrite64)(descriptor, bytes, part(action, count), offset);
}

int fsync(int descriptor) {
    return decide_on(fault_sync, descriptor) == fails ? -1 : NEXT(fsync)(descriptor);
}

int fdatasync(int descriptor) {
    return decide_on(fault_sync, descriptor) == fails ? -1 : NEXT(fdatasync)(descriptor);
}

int ftruncate(int descriptor, off_t length) {
    return decide_on(fault_truncate, descriptor) == fails ? -1 : NEXT(ftruncate)(descriptor, length);
}

int ftruncate64(int descriptor, off64_t length) {
    return decide_on(fault_truncate, descriptor) == fails ? -1 : NEXT(ftruncate64)(descriptor, length);
}

static int opens(int directory, const char *path, int flags, mode_t mode) {
    wait_at_mount(directory, path);
    if (concerns_path(directory, path) && decide(fault_open) == fails) return -1;
    return (int)NEXT(syscall)(SYS_openat, directory, path, flags, mode);
}

#define MODE(flags, last)                                            \
    mode_t mode = 0;                                                 \
    if ((flags) & (O_CREAT | O_TMPFILE)) {                           \
        va_list list;                                                \
        va_start(list, last);                                        \
        mode = va_arg(list, mode_t);                                 \
        va_end(list);                                                \
    }

int open(const char *path, int flags, ...) {
    MODE(flags, flags)
    return opens(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    MODE(flags, flags)
    return opens(AT_FDCWD, path, flags, mode);
}

int openat(int directory, const char *path, int flags, ...) {
    MODE(flags, flags)
    return opens(directory, path, flags, mode);
}

int openat64(int directory, const char *path, int flags, ...) {
    MODE(flags, flags)
    return opens(directory, path, flags, mode);
}

int rename(const char *from, const char *to) {
    return concerns_path(AT_FDCWD, from) && decide(fault_rename) == fails ? -1 : NEXT(rename)(from, to);
}

int renameat(int from_folder, const char *from, int to_folder, const char *to) {
    return concerns_path(from_folder, from) && decide(fault_rename) == fails
               ? -1
               : NEXT(renameat)(from_folder, from, to_folder, to);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
    if (is_plain && concerns_path(to_folder, to)) {
        errno = EPERM;
        return -1;
    }
    return NEXT(linkat)(from_folder, from, to_folder, to, flags);
}

int link(const char *from, const char *to) { return linkat(AT_FDCWD, from, AT_FDCWD, to, 0); }

// What glibc 2.36 has no function for comes this way.
long syscall(long number, ...) {
    va_list list;
    long a[6];
    va_start(list, number);
    for (int index = 0; index < 6; index++) a[index] = va_arg(list, long);
    va_end(list);
    if (number == SYS_openat2) wait_at_mount((int)a[0], (const char *)a[1]);
    if (number == SYS_renameat2 && is_plain && a[4] != 0 && concerns_path((int)a[0], (const char *)a[1])) {
        errno = EINVAL;
        return -1;
    }
    int kind = number == SYS_openat2 ? fault_open : number == SYS_renameat2 ? fault_rename : -1;
    if (kind >= 0 && concerns_path((int)a[0], (const char *)a[1]) && decide(kind) == fails) return -1;
    return NEXT(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
