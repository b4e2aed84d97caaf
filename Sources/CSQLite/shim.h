// SQLite from the system, plus the two destructor constants that Swift cannot import (they are casts).
#pragma once
#include <sqlite3.h>
static inline sqlite3_destructor_type csqlite_transient(void) { return SQLITE_TRANSIENT; }
static inline sqlite3_destructor_type csqlite_static(void) { return SQLITE_STATIC; }
/// Reads the first `count` bytes of a file the way SQLite does, which keeps the locks of this process on it. An SQLite
/// result code: SQLITE_CANTOPEN where there is none, SQLITE_IOERR_SHORT_READ where it is shorter.
static inline int csqlite_read_beginning(const char *path, void *bytes, int count) {
    sqlite3_vfs *vfs = sqlite3_vfs_find(0);
    if (!vfs) return SQLITE_ERROR;
    // A file name of SQLite's is followed by its parameters, each ended by a zero: here by none.
    char *name = (char *)sqlite3_malloc(vfs->mxPathname + 8);
    sqlite3_file *file = (sqlite3_file *)sqlite3_malloc(vfs->szOsFile);
    int code = SQLITE_NOMEM;
    if (name && file) {
        __builtin_memset(name, 0, (unsigned long)vfs->mxPathname + 8);
        __builtin_memset(file, 0, (unsigned long)vfs->szOsFile);
        code = vfs->xFullPathname(vfs, path, vfs->mxPathname + 1, name);
        int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB;
        if (code == SQLITE_OK || code == SQLITE_OK_SYMLINK) code = vfs->xOpen(vfs, name, file, flags, &flags);
        if (code == SQLITE_OK) code = file->pMethods->xRead(file, bytes, count, 0);
        if (file->pMethods) file->pMethods->xClose(file);
    }
    sqlite3_free(file);
    sqlite3_free(name);
    return code;
}
// sqlite3_db_config and sqlite3_config are variadic, so Swift cannot call them.
static inline int csqlite_db_config_int(sqlite3 *db, int option, int value) {
    return sqlite3_db_config(db, option, value, (int *)0);
}
