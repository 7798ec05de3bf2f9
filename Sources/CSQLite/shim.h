// Swift imports neither sqlite3.h's variadic functions nor its macros with casts.
#ifndef SEEDBANK_CSQLITE_SHIM_H
#define SEEDBANK_CSQLITE_SHIM_H

#include <sqlite3.h>

/// Sets one boolean option of a connection.
static inline int seedbank_sqlite_set_flag(sqlite3 *database, int option, int on) {
  return sqlite3_db_config(database, option, on, (int *)0);
}

/// The value of one boolean option of a connection.
static inline int seedbank_sqlite_flag(sqlite3 *database, int option) {
  int on = 0;
  sqlite3_db_config(database, option, -1, &on);
  return on;
}

/// Disables SQLite's memory statistics. Returns an error if SQLite is already in use.
static inline int seedbank_sqlite_omit_memory_statistics(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

/// Makes SQLite copy bound bytes. The macro casts -1 to a function pointer.
static const sqlite3_destructor_type seedbank_sqlite_transient = SQLITE_TRANSIENT;

/// Result codes that sqlite3.h defines as expressions. The first three mean that another row has the value.
static const int seedbank_sqlite_constraint_primary_key = SQLITE_CONSTRAINT_PRIMARYKEY;
static const int seedbank_sqlite_constraint_unique = SQLITE_CONSTRAINT_UNIQUE;
static const int seedbank_sqlite_constraint_rowid = SQLITE_CONSTRAINT_ROWID;
static const int seedbank_sqlite_unread = SQLITE_IOERR_CORRUPTFS;
static const int seedbank_sqlite_unfinished = SQLITE_READONLY_ROLLBACK;

/// The errno of the last failed system call on a connection's file or its journal or WAL; 0 if none failed. Without it,
/// a page that the disk cannot read looks like corruption, because SQLite returns SQLITE_CORRUPT for both.
static inline int seedbank_sqlite_system_error(sqlite3 *database) {
  int number = 0;
  sqlite3_file *log = 0;
  sqlite3_file_control(database, "main", SQLITE_FCNTL_LAST_ERRNO, &number);
  if (number) return number;
  sqlite3_file_control(database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
  // An in-memory journal has no such method.
  if (log && log->pMethods && log->pMethods->xFileControl) log->pMethods->xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &number);
  return number;
}

/// The size in bytes of a connection's file on disk; 0 if it has no file.
static inline sqlite3_int64 seedbank_sqlite_file_size(sqlite3 *database) {
  sqlite3_file *file = 0;
  sqlite3_int64 size = 0;
  sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (file && file->pMethods) file->pMethods->xFileSize(file, &size);
  return size;
}

#endif
