import SeedDatabase
import SeedFormat

/// Where things lie in a store's directory.
struct StoreLayout: Sendable {
  let directory: String

  /// Bytes that the file `CURRENT` has at most.
  static let currentBytes = 128

  var trust: String { "\(directory)/trust" }
  var generations: String { "\(directory)/generations" }
  var partial: String { "\(directory)/partial" }
  /// Names the generation that counts.
  var current: String { "\(directory)/CURRENT" }
  var lock: String { "\(directory)/LOCK" }

  func generation(_ name: String) -> String { "\(generations)/\(name)" }

  /// Makes the folders. Only their owner may look in: others must not be able to swap a file between its
  /// check and its use.
  func create() throws(FileError) {
    for folder in [directory, trust, generations, partial] { try Folder.create(folder, mode: 0o700) }
  }

  /// The name of the generation that counts, if there is one.
  func currentName() throws(FileError) -> String? {
    let bytes = try DurableFile.readIfPresent(current, limit: Self.currentBytes) ?? []
    let name = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first.map(String.init)
    return name.flatMap { Self.isName($0) ? $0 : nil }
  }

  /// Makes a generation count, durably.
  func setCurrent(_ name: String) throws(FileError) {
    try DurableFile.write(Array("\(name)\n".utf8), to: current)
  }

  /// A name that no generation had before: SQLite's journals must never meet another file of their name.
  static func newName(_ version: Version) -> String {
    "\(version)-\(lowerHex((0..<8).map { _ in UInt8.random(in: .min ... .max) }))"
  }

  private static func isName(_ text: String) -> Bool {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) || $0 == 0x2D }
  }

  /// Removes what crashes left: downloads that no one can go on with, drafts, and generations that do not count and are not in
  /// use.
  func sweep(keeping names: Set<String>) throws(FileError) {
    try DurableFile.sweep(directory)
    try DurableFile.sweep(trust)
    try PartialFolder.sweep(partial)
    let kept = names.union(try currentName().map { [$0] } ?? [])
    for name in try Folder.names(in: generations) where !kept.contains(name) {
      try Folder.removeAll(generation(name))
    }
  }
}
