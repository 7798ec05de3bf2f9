import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

/// Where things lie in the folder that an app ships: a publication, cut down to one series and its newest snapshot.
struct BundleLayout: Hashable, Sendable {
  let directory: String

  /// The newest root; an app can begin its trust with it.
  static let rootName = "root.json"
  static let metadataName = "metadata"
  static let targetsName = "targets"

  var root: String { "\(directory)/\(Self.rootName)" }
  var metadata: String { "\(directory)/\(Self.metadataName)" }

  /// The snapshot's file, as it was published.
  func file(_ object: PublishedObject) -> String { "\(directory)/\(object.filePath)" }

  /// A metadata file by the name that the repository has for it.
  func metadataFile(_ name: String) -> String { "\(metadata)/\(name)" }

  /// Plays repository: what stands in the folder, `nil` where it has no such file.
  var fetcher: MetadataFetcher {
    { [self] name, limit in
      try DurableFile.readIfPresent(metadataFile(name), limit: limit)
    }
  }
}
