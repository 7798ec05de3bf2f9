// SeedImport: an app's own documents of JSON into its own tables.
//
// Rules of this module:
// - What a mapping cannot mean in this database is refused before the first row (Mapping/).
// - A row's values are lent by the document's window, by the tape or by the row's own block, and are gone with it.
// - Rows go in together where nothing speaks against it; each that SQLite refuses is read again and written alone.
// - Whatever order a document has, it leads to the same rows: those that have to wait for others do (Conflicts/).
// - The importer's own tables are in no database: neither sums nor a digest, which only seeds have.
