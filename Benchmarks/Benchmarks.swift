// Benchmarks of the importer: the same data, schema and storage for every contender.
//
// - A workload generates its documents, and a database of the same rows, from one seeded generator.
// - A contender imports a document into an empty target (cold) and then into the filled one (hot).
// - Each measurement is a new process of this program, so that peak memory is only the contender's.
// - Timed runs only import. One more run counts statements and sums all values; different sums are an error.
// - Look-ups are that run's SELECTs, also per hundred objects of a document: the importer needs at most one.
// - Ratios are relative to the floor, SQLite's own upsert of the same rows from an attached file.
// - A pair alternates two of our ways to import the same rows; its limit is a ratio of processor time.
// - All targets are in one temporary folder: journal WAL, synchronous NORMAL, SQLite's default cache.
