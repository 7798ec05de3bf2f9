// SeedImport: an app's own documents of JSON and CSV into its own tables.
//
// Rooms, from the ground up: Mapping, Reading, Planning, Conflicts, Writing, Rows, API.
//
// Mapping is what the app says and wants to be told; Reading finds rows and values in a document; Planning puts both
// into terms of this database's tables; Conflicts holds rows that have to wait for others, and what becomes of bad
// ones; Writing takes rows in, many at a time or one by one; a session leads through all of them. Rows hands rows on as they
// stand in a document, to whoever writes them.
//
// Rules of this module:
// - A mapping that cannot work with this database fails before the first row.
// - A row's values are lent by the document, by the tape or by the row's own bytes, and go with them.
// - Rows are written together. Where SQLite rejects one of them, all are read again and written one by one.
//   Where a table's triggers run, its rows are always written one by one.
// - The order of rows in a document does not matter: a row whose unique value another row
//   still holds is tried once more at the end.
// - Nothing blocks the caller's thread: an `Importer` works on its own dispatch queue.
// - Apps catch `ImportFailure`, `CancellationError` and the errors of their own closures and sequences.

// Re-exports the values in this module's interface.
@_exported public import SeedFormat
