// SeedDatabase: everything that touches a SQLite file, for publisher and client alike.
//
// Folders, lowest first: Handles, Compression, Schema, Rows, Writing, Check.
//
// Rules of this module:
// - Only this module imports CSQLite, CZlib and CLZMA. Each C pointer has one Swift owner and does not leave it.
// - Rows are compared by their canonical bytes (``CanonicalRow``), never by SQL's `=`, `IS` or `EXCEPT`.
//   Collation decides only which keys are equal and how keys are ordered.
// - All changes to a seed's rows, in the working copy and on the device, go through ``SeedWriter``. It maintains row
//   counts and sums, so the cost of the state digest depends only on the size of the change.
// - Foreign keys are off on every connection that writes rows, because a cascade by SQLite would bypass the digest; the
//   writer checks the references before its transaction ends.
// - A connection is opened in a mode (``Connection/OpenMode``), never with flags at the call site. A file from elsewhere
//   is a `.snapshot`, `.received` or `.seed`; `StructureTests` lists the files that use other modes.
// - Check/ verifies a seed from its bytes alone and trusts no claim stored in the file.
// - Errors contain the statement, never the bound values, because those are the operator's data.
//
// The writers' per-row properties are marked `@exclusivity(unchecked)`, because exclusivity checks took a
// tenth of an import's time. This is safe: each has one owner, and no access outlasts its Swift statement.
