// SeedPostgres: a schema of a PostgreSQL database as an origin, read through libpq. A build can do without it.
//
// Rooms, from the ground up: Server, Types, Rows, Log, Setup, API.
//
// Rules of this module:
// - Server/PostgresConnection.swift alone calls libpq. What publishes only reads, in a transaction that is READ ONLY.
// - Log/PostgresLogSetup.swift writes, where an operator asks for a log, and Log/PostgresLog+Pruning.swift removes old entries of it.
// - All tables of a step come from one transaction, REPEATABLE READ, so that they belong together.
// - What a value becomes depends on its type and the client's column, never on a setting of the server or a locale. A type
//   for which that cannot be promised is refused, with the place where to cast it.
// - An error of the server is told with the place and the remedy, and no password is ever in it.
