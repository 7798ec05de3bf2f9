import SeedFormat
import SeedSystem

/// What is kept of a dataset's feed, in the publisher's own folder.
struct FeedStore {
  private let folder: String

  init(_ dataset: DatasetName, in stateFolder: String) { folder = "\(stateFolder)/feeds/\(dataset)" }

  var staging: String { "\(folder)/staging.sqlite" }
  /// The output of the program's last run.
  var log: String { "\(folder)/command.log" }

  /// Runs `body` while no other process loads this feed; false if one does and `waits` is false.
  func withLock(waits: Bool, _ body: () throws -> Void) throws -> Bool {
    try Folder.create(folder)
    let lock = try File("\(folder)/.lock", for: .updating)
    if waits { try lock.lock() } else if try !lock.tryLock() { return false }
    defer { lock.unlock() }
    try DurableFile.sweep(folder)
    try body()
    return true
  }

  private static let filled = "filled-"

  func freshFolder() throws -> String {
    let path = "\(folder)/\(Self.filled)\(Epoch.random())"
    try Folder.create(path)
    return path
  }

  /// Removes all such folders but one.
  func sweepFolders(but kept: String) throws {
    for path in try Folder.names(in: folder).filter({ $0.hasPrefix(Self.filled) }).map({ "\(folder)/\($0)" })
    where path != kept { try Folder.removeAll(path) }
  }
}
