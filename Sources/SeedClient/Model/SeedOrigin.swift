/// Where the file of a store's data came from.
public enum SeedOrigin: String, Hashable, Sendable, CaseIterable {
  /// The app brought it along.
  case bundled
  /// A server sent it.
  case downloaded
}
