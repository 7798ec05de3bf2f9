import Dispatch
import SeedDatabase
import Synchronization

/// A seed file's folder, and the lease on it: once abandoned, the folder goes with the last one who holds
/// this.
final class Generation: Sendable {
  /// The folder's name.
  let name: String
  private let folder: String
  private let isAbandoned = Mutex(false)
  /// The store's own reader of the file.
  let reader: GenerationReader

  static let fileName = "seed.sqlite"

  init(_ name: String, in layout: StoreLayout) {
    self.name = name
    folder = layout.generation(name)
    reader = GenerationReader("\(folder)/\(Self.fileName)")
  }

  /// The SQLite file.
  var file: String { "\(folder)/\(Self.fileName)" }

  /// Says that no one will want the folder but those who hold it now.
  func abandon() { isAbandoned.withLock { $0 = true } }

  deinit {
    guard isAbandoned.withLock({ $0 }) else { return }
    let folder = folder
    // Whoever let go last may be on the main thread. What stays here, the sweep at the next start takes.
    DispatchQueue.global(qos: .utility).async { try? Folder.removeAll(folder) }
  }
}
