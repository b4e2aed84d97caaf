// SQLite from the system, plus the two destructor constants that Swift cannot import (they are casts).
#pragma once
#include <sqlite3.h>
static inline sqlite3_destructor_type csqlite_transient(void) { return SQLITE_TRANSIENT; }
static inline sqlite3_destructor_type csqlite_static(void) { return SQLITE_STATIC; }
// sqlite3_db_config and sqlite3_config are variadic, so Swift cannot call them.
static inline int csqlite_db_config_int(sqlite3 *db, int option, int value) {
    return sqlite3_db_config(db, option, value, (int *)0);
}
