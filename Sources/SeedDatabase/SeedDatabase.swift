// SeedDatabase: everything that touches a SQLite file, for publisher and client alike.
//
// Rooms, from the ground up: Handles, Compression, Schema, Rows, Seed, Writing, Check.
//
// Rules of this module:
// - The only importer of CSQLite, CZlib and CLZMA. A pointer of theirs has one Swift owner and does not leave it.
// - Two rows are equal when their canonical bytes are (``CanonicalRow``), never by SQL's `=`, `IS` or
//   `EXCEPT`; collation decides key identity and key order only.
// - ``BatchImporter`` is the one way by which rows change, in the working copy and on the device: it keeps the
//   row counts and sums beside the rows, so that the state digest costs what changed.
// - Foreign keys are off on every connection that imports (SQLite must not cascade behind the digest's back);
//   the importer checks the references itself before it lets a transaction end.
// - A connection is opened in a mode (``Connection/OpenMode``), never with flags at the call site.
// - Check/ proves a seed from its bytes alone, and believes nothing that the file says of itself.
// - Errors carry the statement, never the bound values: those are the operator's data.
//
// Properties of the importer's classes that every row touches are marked `@exclusivity(unchecked)`: one owner has
// them, no access lasts beyond its statement, and checking each access took a tenth of an import.
