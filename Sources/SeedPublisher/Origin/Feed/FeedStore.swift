import SeedFormat
import SeedSystem

/// Files of a dataset's feed in the publisher's state directory.
struct FeedStore {
  private let folder: String

  init(_ dataset: DatasetName, in stateFolder: String) { folder = "\(stateFolder)/feeds/\(dataset)" }

  var staging: String { "\(folder)/staging.sqlite" }
  var log: String { "\(folder)/command.log" }

  /// Runs `body` unless another process is loading this feed: then waits, or returns false if `waits` is false.
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

  func sweepFolders(but kept: String) throws {
    for path in try Folder.names(in: folder).filter({ $0.hasPrefix(Self.filled) }).map({ "\(folder)/\($0)" })
    where path != kept { try Folder.removeAll(path) }
  }
}
