// What Swift cannot import from sqlite3.h: variadic functions and cast macros.
#ifndef SEEDBANK_CSQLITE_SHIM_H
#define SEEDBANK_CSQLITE_SHIM_H

#include <sqlite3.h>

/// Sets one boolean option of a connection; `sqlite3_db_config` is variadic.
static inline int seedbank_sqlite_set_flag(sqlite3 *database, int option, int on) {
  return sqlite3_db_config(database, option, on, (int *)0);
}

/// How one boolean option of a connection is set.
static inline int seedbank_sqlite_flag(sqlite3 *database, int option) {
  int on = 0;
  sqlite3_db_config(database, option, -1, &on);
  return on;
}

/// SQLite copies the bytes; a cast of -1 to a function pointer.
static const sqlite3_destructor_type seedbank_sqlite_transient = SQLITE_TRANSIENT;

/// Some other row holds the value; sqlite3.h has these codes as expressions.
static const int seedbank_sqlite_constraint_primary_key = SQLITE_CONSTRAINT_PRIMARYKEY;
static const int seedbank_sqlite_constraint_unique = SQLITE_CONSTRAINT_UNIQUE;
static const int seedbank_sqlite_constraint_rowid = SQLITE_CONSTRAINT_ROWID;
static const int seedbank_sqlite_unread = SQLITE_IOERR_CORRUPTFS;
static const int seedbank_sqlite_unfinished = SQLITE_READONLY_ROLLBACK;

/// The errno of the latest system call that failed on a connection's file or its log; 0 where none did. SQLite answers
/// SQLITE_CORRUPT for a page that the disk does not give back.
static inline int seedbank_sqlite_system_error(sqlite3 *database) {
  int number = 0;
  sqlite3_file *log = 0;
  sqlite3_file_control(database, "main", SQLITE_FCNTL_LAST_ERRNO, &number);
  if (number) return number;
  sqlite3_file_control(database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
  // A journal in memory has no such method.
  if (log && log->pMethods && log->pMethods->xFileControl) log->pMethods->xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &number);
  return number;
}

/// Bytes of a connection's file as it is on the disk; 0 if it has none.
static inline sqlite3_int64 seedbank_sqlite_file_size(sqlite3 *database) {
  sqlite3_file *file = 0;
  sqlite3_int64 size = 0;
  sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (file && file->pMethods) file->pMethods->xFileSize(file, &size);
  return size;
}

#endif
