// SeedPostgres: reads a schema of a PostgreSQL database as an origin, through libpq. A build may omit it.
//
// Folders, lowest first: Reading, Log, Setup, API.
//
// Rules of this module:
// - Only Reading/PostgresConnection.swift calls libpq. Publishing only reads, in a READ ONLY transaction.
// - Setup/PostgresLogSetup.swift writes a log at the operator's request; Log/PostgresLog+Pruning.swift removes old
//   entries.
// - All tables of a step are read in one REPEATABLE READ transaction, so that they are consistent.
// - A value's form depends on its type and the client's column, never on a server setting or a locale. A type without
//   such a form is rejected; the error message names the file in which to cast it.
// - A server error is reported with its place and a remedy, and never contains a password.
