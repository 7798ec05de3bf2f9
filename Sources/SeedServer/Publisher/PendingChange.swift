import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

/// Where a change of root or targets metadata waits until it is signed and published.
///
/// It is written before anything of the change is published. So a process that dies in between leaves what the next
/// step finishes.
struct PendingChange {
  private let path: String

  init(_ stateFolder: String) { path = "\(stateFolder)/pending-keys.json" }

  /// The change that waits, if any.
  func read() throws -> OfflineChange {
    guard let bytes = try DurableFile.readIfPresent(path, limit: FileLimit.metadataBytes) else {
      return .none
    }
    do {
      return try OfflineChange(parsing: bytes)
    } catch {
      throw PublicationError.damagedChange(file: path)
    }
  }

  /// Replaces what waits; an empty change removes it.
  func write(_ change: OfflineChange) throws {
    if change.isEmpty { return try Folder.remove(path) }
    try DurableFile.write(change.bytes, to: path)
  }
}
