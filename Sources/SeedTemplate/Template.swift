import SeedDatabase
import SeedFormat
import SeedSystem

/// A Core Data or SwiftData store whose every table and column is explained.
package struct Template: Sendable {
  package let file: StoreFile
  package let mapping: TableMapping

  /// Reads the store at `path`, which may have rows.
  package init(reading path: String) throws {
    do {
      file = try StoreFile(path)
      mapping = try TableMapping(file)
    } catch let error as DatabaseError where error.saysDamage {
      throw TemplateProblem(
        path, "it is no SQLite file, or damaged or encrypted",
        "take a store of type NSSQLiteStoreType that is not encrypted")
    } catch let error as InvalidText {
      throw TemplateProblem(path, "\(error)", .makeNew)
    }
  }

  package func requireEmpty() throws {
    guard !file.filled.isEmpty else { return }
    throw TemplateProblem(file.filledWords, "the store has rows", .makeNew)
  }

  /// Writes a copy of the empty store to `destination`, as one file without a log, and reads it back. Apple's
  /// frameworks recognise it, because the identifier, page size, auto-vacuum and contents stay the same.
  package static func extract(_ path: String, to destination: String) throws -> Template {
    let template = try Template(reading: path)
    try template.requireEmpty()
    let scratch = destination + ".tmp"
    defer { try? Folder.removeAny(scratch) }
    try Folder.removeAny(scratch)
    try Connection(path, .snapshot).vacuum(into: scratch)
    let copy = try Template(reading: scratch)
    guard copy.mapping == template.mapping, copy.file.model == template.file.model,
      copy.file.metadata == template.file.metadata
    else { throw TemplateProblem(destination, "the copy differs from the store") }
    try File(scratch, for: .reading).sync()
    try DurableFile.moveIntoPlace(scratch, destination)
    return copy
  }
}
