import SeedSystem
package import SeedTrust

/// The keys of a publisher that runs for long: they are read again where those at hand do not fit any more, because an
/// operator replaced them meanwhile.
package final class KeySource: Sendable {
  private let keys: Mutex<KeyRing>
  private let load: @Sendable () throws -> KeyRing

  /// These keys; `load` reads them again.
  package init(_ keys: KeyRing, load: @escaping @Sendable () throws -> KeyRing) {
    self.keys = Mutex(keys)
    self.load = load
  }

  /// Keys that stay as they are.
  package convenience init(_ keys: KeyRing) { self.init(keys) { keys } }

  /// The keys at hand.
  var current: KeyRing { keys.withLock(\.self) }

  /// Reads them again.
  func reload() throws {
    let found = try load()
    keys.withLock { $0 = found }
  }
}
