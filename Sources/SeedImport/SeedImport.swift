// SeedImport: imports an app's JSON and CSV documents into the tables of its own SQLite database.
//
// Folders, lowest first: Mapping, Reading, Planning, Writing, API.
//
// Mapping contains the app's declarations and the report. Reading finds a document's rows and values.
// Planning fits both to the database's tables. Writing writes rows and handles waiting and bad rows. API, the
// files beside the folders, drives all of these. DocumentRows passes rows to other writers without a mapping.
//
// Rules of this module:
// - A mapping that cannot work with this database fails before the first row.
// - A row's values point into the document, the tape (its parsed form) or `LentBytes`, and are valid as long as those.
// - Rows are written in batches. If SQLite rejects a row, its whole batch is read again and written row by row.
// - The order of rows in a document does not matter: a row that needs another row's unique value is retried.
// - Nothing blocks the caller's thread: an `Importer` works on its own dispatch queue.
// - Apps catch `ImportFailure`, `CancellationError` and the errors of their own closures and sequences.

// Re-exports the values in this module's interface.
@_exported public import enum SeedFormat.SeedValue
@_exported public import protocol SeedFormat.SeedValueConvertible
