// Linux calls that Swift cannot reach: system calls without a glibc function (2.36), variadic functions, macros, and
// what glibc declares only with _GNU_SOURCE. That macro must not be defined here: the Glibc module is built without
// it, and the compiler refuses two modules whose system structures differ. Such functions are declared by hand below.
#pragma once
// What both modules declare belongs to Glibc. Without this, it depends on the order of files which of them the compiler
// takes for the owner of struct stat, and what is imported by name no longer suffices (MemberImportVisibility).
#if defined(__has_feature) && __has_feature(modules)
#pragma clang module import SwiftGlibc
#endif
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <pty.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <linux/openat2.h>
#include <termios.h>
#include <unistd.h>
#include "sandbox.h"

/// syncfs(2): returns when everything of the file system that `descriptor` is on is on its disk.
static inline int clinux_synchronize_disk(int descriptor) { return (int)syscall(SYS_syncfs, descriptor); }

/// openat2(2): opens `path` beneath `directory`, refusing every link and every step outside of it.
static inline int clinux_open_beneath(int directory, const char *path, uint64_t flags, uint64_t mode) {
    struct open_how how = {0};
    how.flags = flags;
    how.mode = mode;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
    return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
}
/// pidfd_open(2): a descriptor, closed on exec, that is readable when the process has ended. Linux 5.3.
static inline int clinux_open_process(int process) { return (int)syscall(SYS_pidfd_open, process, 0u); }
/// sync_file_range(2) with SYNC_FILE_RANGE_WRITE: begins to write a part of a file to the disk and does not wait for it.
static inline int clinux_begin_writeback(int descriptor, int64_t offset, int64_t count) {
    return (int)syscall(SYS_sync_file_range, descriptor, offset, count, 2u);
}
/// renameat2(2) with RENAME_NOREPLACE: fails with EEXIST instead of overwriting `new_name`.
static inline int clinux_rename_noreplace(int old_dir, const char *old_name, int new_dir, const char *new_name) {
    return (int)syscall(SYS_renameat2, old_dir, old_name, new_dir, new_name, 1u);
}
static inline int clinux_set_nonblocking(int descriptor) {
    int flags = fcntl(descriptor, F_GETFL, 0);
    return flags < 0 ? -1 : fcntl(descriptor, F_SETFL, flags | O_NONBLOCK);
}
static inline int clinux_set_blocking(int descriptor) {
    int flags = fcntl(descriptor, F_GETFL, 0);
    return flags < 0 ? -1 : fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK);
}
static inline int clinux_set_close_on_exec(int descriptor) { return fcntl(descriptor, F_SETFD, FD_CLOEXEC); }
/// A terminal's size; a struct of our own, because several modules lay claim to `struct winsize`.
struct clinux_window_size {
    /// In characters.
    uint16_t rows;
    uint16_t columns;
    /// In pixels; 0 where the terminal does not tell.
    uint16_t pixel_width;
    uint16_t pixel_height;
};
static inline struct winsize clinux_winsize(struct clinux_window_size size) {
    return (struct winsize){.ws_row = size.rows,
                            .ws_col = size.columns,
                            .ws_xpixel = size.pixel_width,
                            .ws_ypixel = size.pixel_height};
}
static inline int clinux_get_window_size(int descriptor, struct clinux_window_size *size) {
    struct winsize window = {0};
    int result = ioctl(descriptor, TIOCGWINSZ, &window);
    size->rows = window.ws_row;
    size->columns = window.ws_col;
    size->pixel_width = window.ws_xpixel;
    size->pixel_height = window.ws_ypixel;
    return result;
}
static inline int clinux_set_window_size(int descriptor, struct clinux_window_size size) {
    struct winsize window = clinux_winsize(size);
    return ioctl(descriptor, TIOCSWINSZ, &window);
}
/// openpty(3).
static inline int clinux_open_terminal(int *controller, int *device, struct clinux_window_size size) {
    struct winsize window = clinux_winsize(size);
    return openpty(controller, device, (char *)0, (const struct termios *)0, &window);
}
static inline int clinux_wait_status_exited(int status) { return WIFEXITED(status); }
static inline int clinux_wait_status_code(int status) { return WEXITSTATUS(status); }
static inline int clinux_wait_status_signal(int status) { return WIFSIGNALED(status) ? WTERMSIG(status) : 0; }

extern int accept4(int descriptor, struct sockaddr *address, socklen_t *length, int flags);
/// Whether `reserve` descriptors are left besides the next one. At least one must always be left, since libdispatch reads the
/// state of its workers from /proc about once a second, and ends the process when it cannot.
static inline int clinux_leaves_descriptors(int reserve) {
    // The lowest free number says how many descriptors are left at least.
    int next = fcntl(0, F_DUPFD_CLOEXEC, 0);
    if (next < 0 && errno == EBADF) next = eventfd(0, EFD_CLOEXEC);
    if (next < 0) return 0;
    close(next);
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && (rlim_t)next + (rlim_t)reserve >= limit.rlim_cur) {
        errno = EMFILE;
        return 0;
    }
    return 1;
}
/// accept4(2): the next connection of a listening socket, non-blocking and not inherited by child processes. EMFILE unless
/// `reserve` descriptors are left besides: the caller stays in the kernel's queue.
static inline int clinux_accept(int descriptor, int reserve) {
    if (!clinux_leaves_descriptors(reserve)) return -1;
    return accept4(descriptor, (struct sockaddr *)0, (socklen_t *)0, SOCK_NONBLOCK | SOCK_CLOEXEC);
}
extern int memfd_create(const char *name, unsigned int flags);
/// memfd_create(2): an empty file in memory, not inherited by child processes; -1 on failure.
static inline int clinux_memory_file(const char *name) { return memfd_create(name, 1 /* MFD_CLOEXEC */); }
extern int dup3(int descriptor, int replaced, int flags);
/// dup3(2): `replaced` means what `descriptor` means; it is not inherited by child processes. -1 on failure.
static inline int clinux_replace_descriptor(int replaced, int descriptor) {
    return dup3(descriptor, replaced, O_CLOEXEC);
}
struct clinux_peer { int32_t process; uint32_t user; uint32_t group; };
/// SO_PEERCRED (unix(7)): whether it is known who is at the other end of a UNIX-domain socket.
static inline int clinux_get_peer(int descriptor, struct clinux_peer *peer) {
    socklen_t size = sizeof *peer;
    return getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, peer, &size) == 0;
}
/// The user id of the process at the other end; -1 when it is not known.
static inline int64_t clinux_peer_user(int descriptor) {
    struct clinux_peer peer;
    return clinux_get_peer(descriptor, &peer) ? (int64_t)peer.user : -1;
}
/// The process that listens at the other end; -1 when it is not known.
static inline int64_t clinux_peer_process(int descriptor) {
    struct clinux_peer peer;
    return clinux_get_peer(descriptor, &peer) ? peer.process : -1;
}
/// SIOCOUTQNSD (tcp(7)): bytes that a TCP socket has taken and not sent yet; 0 for other sockets.
static inline int clinux_unsent_bytes(int descriptor) {
    int count = 0;
    return ioctl(descriptor, 0x894B, &count) == 0 ? count : 0;
}
/// What TCP_INFO (tcp(7)) says of the way out. Round trips in microseconds, `segment` and `acknowledged`
/// in bytes, `timeouts` the retransmission time-outs in a row, `silence` since the last acknowledgement in milliseconds, the
/// rest in packets.
struct clinux_path {
    uint32_t segment, unacknowledged, selectively_acknowledged, lost, sent_again, round_trip, shortest_round_trip;
    uint32_t timeouts, silence, segments_out, segments_out_again;
    uint64_t acknowledged;
};
/// Whether the kernel says all of it (Linux 4.6 and later). Read by the offsets of its interface, which only ever grows:
/// glibc's `struct tcp_info` ends before them, and <linux/tcp.h> cannot stand beside <netinet/tcp.h>.
static inline int clinux_get_path(int descriptor, struct clinux_path *path) {
    unsigned char info[152];
    socklen_t size = sizeof info;
    if (getsockopt(descriptor, 6, 11, info, &size) != 0 || size < sizeof info) return 0;
    path->timeouts = info[2];
    memcpy(&path->silence, info + 56, 4);
    memcpy(&path->segment, info + 16, 4);
    memcpy(&path->unacknowledged, info + 24, 4);
    memcpy(&path->selectively_acknowledged, info + 28, 4);
    memcpy(&path->lost, info + 32, 4);
    memcpy(&path->sent_again, info + 36, 4);
    memcpy(&path->round_trip, info + 68, 4);
    memcpy(&path->segments_out_again, info + 100, 4);
    memcpy(&path->acknowledged, info + 120, 8);
    memcpy(&path->segments_out, info + 136, 4);
    memcpy(&path->shortest_round_trip, info + 148, 4);
    return 1;
}
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first);
/// The child has no descriptors from `first` on. An error number.
static inline int clinux_spawn_close_from(posix_spawn_file_actions_t *actions, int first) {
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}
/// POSIX_SPAWN_SETSID: the child starts a session of its own.
static inline short clinux_spawn_setsid(void) { return 0x80; }


extern int pthread_setname_np(pthread_t thread, const char *name);
/// Names the calling thread; longer names than 15 bytes leave it unnamed.
static inline void clinux_name_thread(const char *name) { (void)pthread_setname_np(pthread_self(), name); }
/// getpriority(2) of the calling thread alone, as Linux has it.
static inline int clinux_thread_niceness(void) { return getpriority(PRIO_PROCESS, 0); }
/// getpriority(2) of the first thread.
static inline int clinux_process_niceness(void) { return getpriority(PRIO_PROCESS, getpid()); }
/// setpriority(2) for the calling thread alone: the first thread goes before it by so many steps. A thread begins with the
/// niceness of the one that made it, and only the superuser can take that back.
static inline void clinux_nice_thread(int steps) {
    (void)setpriority(PRIO_PROCESS, 0, clinux_process_niceness() + steps);
}

enum { CLINUX_READABLE = 1, CLINUX_WRITABLE = 2 };
/// What epoll_wait(2) tells of one descriptor.
struct clinux_news {
    uint64_t token;
    int32_t states;
};
/// epoll_ctl(2): tells, level-triggered, when `descriptor` is in one of `states`; errors and hang-ups are always told.
static inline int clinux_epoll_set(int poller, int descriptor, int operation, int states, uint64_t token) {
    struct epoll_event event = {0};
    if (states & CLINUX_READABLE) event.events |= EPOLLIN;
    if (states & CLINUX_WRITABLE) event.events |= EPOLLOUT;
    event.data.u64 = token;
    return epoll_ctl(poller, operation, descriptor, &event);
}
/// epoll_wait(2); an error or hang-up counts as readable and writable. Returns how many were told.
static inline int clinux_epoll_wait(int poller, struct clinux_news *news, int capacity, int milliseconds) {
    struct epoll_event events[64];
    int count = epoll_wait(poller, events, capacity < 64 ? capacity : 64, milliseconds);
    for (int index = 0; index < count; index++) {
        uint32_t bits = events[index].events;
        int is_broken = (bits & (EPOLLERR | EPOLLHUP)) != 0;
        news[index].token = events[index].data.u64;
        news[index].states = (is_broken || (bits & EPOLLIN) ? CLINUX_READABLE : 0)
            | (is_broken || (bits & EPOLLOUT) ? CLINUX_WRITABLE : 0);
    }
    return count;
}
/// mallopt(3): the memory of large blocks goes back to the system when they are freed. By itself glibc does that only
/// until the first of them was freed; from then on it keeps tens of megabytes per thread. To be called before threads.
static inline void clinux_return_large_blocks(void) { (void)mallopt(M_MMAP_THRESHOLD, 128 * 1024); }
/// mallopt(3): so many heaps at most. By itself glibc gives nearly every thread one of its own, each with holes that the
/// others cannot use. To be called before threads.
static inline void clinux_limit_heaps(int count) { (void)mallopt(M_ARENA_MAX, count); }
