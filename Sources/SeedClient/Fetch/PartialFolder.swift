import SeedDatabase
import SeedSystem
import SeedTrust

/// Where files arrive. Hashing what is there takes a while, so it runs on a queue of its own.
actor PartialFolder {
  private nonisolated let executor = QueueExecutor(label: "seedbank.partial")
  private let path: String

  /// The actor's jobs run on a queue of its own.
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ path: String) { self.path = path }

  /// What is there of an object, ready to take more.
  func open(_ object: PublishedObject, url: String) throws -> PartialFile {
    try PartialFile(object, url: url, in: path)
  }

  /// Bytes that are there of each of these objects, together. Parts of others go: what is kept is bounded by
  /// what is wanted.
  func keep(_ objects: [PublishedObject]) throws -> Int {
    let wanted = Set(objects.map(\.sha256.hex))
    for name in try Folder.names(in: path) where !wanted.contains(Self.digest(name)) {
      try Folder.removeAny("\(path)/\(name)")
    }
    return try Folder.names(in: path).filter { $0.hasSuffix(PartialRecord.partSuffix) }.reduce(0) {
      $0 + (try File("\(path)/\($1)", for: .reading).length())
    }
  }

  /// Throws unless the volume has the room that a plan takes.
  func check(_ plan: DiskPlan, in folder: String, _ surroundings: Surroundings) throws(SeedError) {
    try plan.check(available: surroundings.freeBytes(folder), in: folder)
  }

  /// Removes what no one can go on with: a part without its record, a record without its part.
  static func sweep(_ folder: String) throws(FileError) {
    let names = try Folder.names(in: folder)
    for name in names where !isPaired(name, names) { try Folder.removeAny("\(folder)/\(name)") }
  }

  private static func isPaired(_ name: String, _ names: [String]) -> Bool {
    let digest = digest(name)
    return [digest + PartialRecord.partSuffix, digest + PartialRecord.recordSuffix].allSatisfy(names.contains)
  }

  private static func digest(_ name: String) -> String { String(name.prefix { $0 != "." }) }
}
