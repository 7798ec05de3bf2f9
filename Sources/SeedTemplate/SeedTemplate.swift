// SeedTemplate: reads an empty store of Core Data or SwiftData, and explains each table and column of it by its model.
//
// Rooms, from the ground up: Plist, Archive, Model, Store, Mapping, API.
//
// Rules of this module:
// - Nothing of a store is believed. What is not explained is refused by name: an entity, an attribute, a key, a column, an
//   index, a trigger. A store is read right or not at all.
// - Plist, Archive and Model are pure: bytes in, values out. Store alone opens the file, which is never written to.
// - Every number that a file may say has a limit, a named constant with its unit.
// - The rules come from stores that Apple's frameworks made. What was never seen in one is refused, even where it could be
//   guessed.
