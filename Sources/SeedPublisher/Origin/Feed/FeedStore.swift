import SeedFormat
import SeedSystem

/// What is kept of a dataset's feed, in the publisher's own folder.
struct FeedStore {
  private let folder: String

  init(_ dataset: DatasetName, in stateFolder: String) { folder = "\(stateFolder)/feeds/\(dataset)" }

  /// The database that the feed was loaded into.
  var staging: String { "\(folder)/staging.sqlite" }

  /// Runs `body` while no other process loads this feed; false where one does, and it is not waited for.
  func withLock(waits: Bool, _ body: () throws -> Void) throws -> Bool {
    try Folder.create(folder)
    let lock = try File("\(folder)/.lock", for: .updating)
    guard try waits ? wait(for: lock) : lock.tryLock() else { return false }
    defer { lock.unlock() }
    try DurableFile.sweep(folder)
    try body()
    return true
  }

  private func wait(for lock: borrowing File) throws -> Bool {
    try lock.lock()
    return true
  }

  // MARK: Folders that a program fills

  /// What the program wrote when it was started last.
  var log: String { "\(folder)/command.log" }

  private static let filled = "filled-"

  /// A new, empty folder.
  func freshFolder() throws -> String {
    let path = "\(folder)/\(Self.filled)\(Epoch.random())"
    try Folder.create(path)
    return path
  }

  /// Removes all such folders but one.
  func sweepFolders(but kept: String) throws {
    for name in try Folder.names(in: folder) where name.hasPrefix(Self.filled) && "\(folder)/\(name)" != kept
    {
      try Folder.removeAll("\(folder)/\(name)")
    }
  }
}
