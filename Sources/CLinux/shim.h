// Linux calls that Swift cannot reach: system calls without a glibc function (2.36), variadic functions, macros.
#pragma once
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <linux/openat2.h>
#include <termios.h>
#include <unistd.h>

/// openat2(2): opens `path` beneath `directory`, refusing every link and every step outside of it.
static inline int clinux_open_beneath(int directory, const char *path, uint64_t flags, uint64_t mode) {
    struct open_how how = {0};
    how.flags = flags;
    how.mode = mode;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
    return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
}
/// renameat2(2) with RENAME_NOREPLACE: fails with EEXIST instead of overwriting `new_name`.
static inline int clinux_rename_noreplace(int old_dir, const char *old_name, int new_dir, const char *new_name) {
    return (int)syscall(SYS_renameat2, old_dir, old_name, new_dir, new_name, 1u);
}
static inline int clinux_set_nonblocking(int descriptor) {
    int flags = fcntl(descriptor, F_GETFL, 0);
    return flags < 0 ? -1 : fcntl(descriptor, F_SETFL, flags | O_NONBLOCK);
}
static inline int clinux_get_window_size(int descriptor, struct winsize *size) {
    return ioctl(descriptor, TIOCGWINSZ, size);
}
static inline int clinux_set_window_size(int descriptor, const struct winsize *size) {
    return ioctl(descriptor, TIOCSWINSZ, size);
}
static inline int clinux_wait_status_exited(int status) { return WIFEXITED(status); }
static inline int clinux_wait_status_code(int status) { return WEXITSTATUS(status); }
static inline int clinux_wait_status_signal(int status) { return WIFSIGNALED(status) ? WTERMSIG(status) : 0; }
