public import SeedFormat

public import struct Foundation.URL

/// A generation of the data, and the right to read it: its files stay while this value or a copy of it lives.
///
/// Open ``url`` read-only, with whatever the app reads SQLite with, and let the connection go before the
/// value. Deltas change the rows of the same file; a snapshot makes another one, which the next element of
/// `openings` names.
public struct Seed: Sendable {
  /// The SQLite file.
  public let url: URL
  /// The version that the file had when this value was made; deltas take it on.
  public let version: Version
  let generation: Generation

  init(_ generation: Generation, _ version: Version) {
    url = URL(fileURLWithPath: generation.folder.file)
    self.version = version
    self.generation = generation
  }
}
