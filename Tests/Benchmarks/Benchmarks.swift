// Benchmarks of the importer: the same data, schema and storage for every contender.
//
// - A workload generates its documents and the same rows as a database from one seeded generator.
// - A contender takes a document into an empty target (cold), then into the filled one (hot).
// - Each measurement is a fresh process of this program, so that peak memory is the contender's own.
// - Timed runs only import. One more run counts statements and sums up every stored value; contenders whose
//   sums differ are reported as wrong, whatever their speed.
// - Look-ups are the statements of that run that begin with SELECT; beside them stands how many they are for each
//   hundred objects of the document, of which the importer's own should be at most one.
// - Ratios are against the floor in the same run: SQLite's own upsert of the same rows from an attached file.
// - A pair is two ways of our own to the same rows, by turns; its bar is a ratio of processor time.
// - All targets are in one temporary folder, journal WAL, synchronous NORMAL, SQLite's default cache.
