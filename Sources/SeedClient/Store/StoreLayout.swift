import SeedDatabase
import SeedFormat
import SeedSystem

/// Where things lie in a store's directory.
struct StoreLayout: Sendable {
  let directory: String

  var trust: String { "\(directory)/trust" }
  var generations: String { "\(directory)/generations" }
  var partial: String { "\(directory)/partial" }
  /// Names the generation that counts.
  var current: String { "\(directory)/CURRENT" }
  var lock: String { "\(directory)/LOCK" }
  /// The hashes of what is not to be taken again, one in a line.
  var rejections: String { "\(directory)/REJECTED" }
  /// What a store has to tell after a restart.
  var record: String { "\(directory)/STATE" }

  func folder(_ name: String) -> GenerationFolder {
    GenerationFolder(name: name, path: "\(generations)/\(name)")
  }

  var folders: [String] { [directory, trust, generations, partial] }

  /// Makes the folders. Only their owner may look in: others must not be able to swap a file between its
  /// check and its use.
  func create() throws(FileError) {
    for folder in folders { try Folder.create(folder, mode: 0o700) }
  }

  /// A name that no generation had before: SQLite's journals must never meet another file of their name.
  static func newName(_ version: Version) -> String {
    "\(version)-\(lowerHex((0..<8).map { _ in UInt8.random(in: .min ... .max) }))"
  }

  /// Removes what crashes left, except for generations.
  func sweep() throws(FileError) {
    try DurableFile.sweep(directory)
    try DurableFile.sweep(trust)
    try PartialFolder.sweep(partial)
  }

  /// Removes the generations that do not count and that nobody reads. Only who has the store's lock may do this.
  func collect(sparing staged: String?) throws(FileError) {
    let kept = Set(try pointer()?.names ?? []).union(staged.map { [$0] } ?? [])
    for name in try Folder.names(in: generations) where !kept.contains(name) {
      try folder(name).removeIfFree()
    }
  }
}
