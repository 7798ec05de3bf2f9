import SeedDatabase
import SeedSystem
import SeedTrust

/// The files by which a look sees that something was published: two calls of `stat`.
struct PublicationStamp: Hashable, Sendable {
  /// `timestamp.json`, which each publication step writes last.
  var timestamp: FileStamp?
  /// The root behind the newest one that was read: an operator may lay one beside a running front.
  var nextRoot: FileStamp?

  /// No file at all.
  init() {}

  init(of directory: PublicationDirectory, rootVersion: Int?) {
    let folder = "\(directory.path)/metadata"
    timestamp = try? FileStamp("\(folder)/\(MetadataName.unversioned(Timestamp.type))")
    if let rootVersion {
      nextRoot = try? FileStamp("\(folder)/\(MetadataName.versioned(Root.type, rootVersion + 1))")
    }
  }
}
