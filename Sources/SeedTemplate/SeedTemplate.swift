// SeedTemplate: reads an empty Core Data or SwiftData store and explains its tables and columns by its model.
//
// Folders, lowest first: Archive, Model, Store, Mapping, API.
//
// Rules of this module:
// - Nothing in a store is trusted. Unexplained entities, attributes, keys, columns, indexes and triggers are rejected
//   by name: a store is read correctly or not at all.
// - Archive and Model are pure: bytes in, values out. Only Store opens the file, and never writes to it.
// - Every number in a file has a limit, a named constant with its unit.
// - The rules are derived from stores made by Apple's frameworks. Anything not observed there is rejected, even if it
//   could be guessed.
