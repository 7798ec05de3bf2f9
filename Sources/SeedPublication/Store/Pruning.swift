import SeedDatabase
import SeedFormat
package import SeedSystem
package import SeedTrust

/// Removes published files that no metadata named during a grace period, because clients may still be fetching them. If
/// the stored times are lost, the grace period restarts.
package struct Pruning {
  let publication: PublicationDirectory
  let stateFolder: String
  let graceSeconds: Int

  package init(publication: PublicationDirectory, stateFolder: String, graceSeconds: Int) {
    (self.publication, self.stateFolder, self.graceSeconds) = (publication, stateFolder, graceSeconds)
  }

  /// The time at which each file became unnamed, by path within the publication.
  package typealias Unnamed = [String: UTCTime]

  package func run(
    _ published: PublishedMetadata, now: UTCTime, isDryRun: Bool
  ) throws -> (removed: [String], waiting: Unnamed) {
    let known = remembered()
    let found = try publication.prunableFiles(published.delegatedSeries)
    let (removed, waiting) = decide(found, named: published.namedFiles, known, now: now)
    guard !isDryRun else { return (removed, waiting) }
    for file in removed { try Folder.remove("\(publication.path)/\(file)") }
    if waiting != known { try remember(waiting) }
    return (removed, waiting)
  }

  private func decide(
    _ found: [String], named: Set<String>, _ known: Unnamed, now: UTCTime
  ) -> (removed: [String], waiting: Unnamed) {
    var removed: [String] = []
    var waiting: Unnamed = [:]
    for path in found where !named.contains(path) {
      // A clock that was set back must not prolong the grace period.
      let since = min(known[path] ?? now, now)
      if now.secondsSinceEpoch - since.secondsSinceEpoch >= graceSeconds, known[path] != nil {
        removed.append(path)
      } else {
        waiting[path] = since
      }
    }
    return (removed, waiting)
  }

  private var memory: String { "\(stateFolder)/unnamed-files.json" }

  private func remembered() -> Unnamed {
    var unnamed: Unnamed = [:]
    for member in StateFile.json(memory)?.members ?? [] {
      unnamed[member.name] = member.value.integer.map { UTCTime(secondsSinceEpoch: $0) }
    }
    return unnamed
  }

  private func remember(_ unnamed: Unnamed) throws(FileError) {
    let members = unnamed.sorted { $0.key < $1.key }
      .map { JSONMember($0.key, .integer(Int64($0.value.secondsSinceEpoch))) }
    // Not fsynced: if a power failure loses the file, the grace period restarts.
    try DurableFile.replace(memory, with: JSONValue.object(members).bytes)
  }
}

extension PublicationDirectory {
  /// Lists the metadata other than roots, and the objects, as paths within the publication.
  fileprivate func prunableFiles(_ series: [SeedSeries]) throws(FileError) -> [String] {
    var files = try Folder.names(in: "\(path)/metadata")
      .filter { $0 != "timestamp.json" && !$0.hasSuffix(".root.json") }.map { "metadata/\($0)" }
    for one in series {
      files += try Folder.names(in: objectFolder(one)).map { "targets/\(one.targetPrefix)\($0)" }
    }
    return files.filter { !$0.hasSuffix(DurableFile.temporarySuffix) && !$0.hasSuffix(Self.draftSuffix) }
  }
}

extension PublishedMetadata {
  fileprivate var namedFiles: Set<String> {
    var names: Set<String> = [
      MetadataName.versioned(Targets.type, targets.version),
      MetadataName.versioned(SnapshotRole.type, snapshot.version),
    ]
    for (series, published) in series {
      names.insert(MetadataName.versioned(series.roleName, published.version))
    }
    let objects = series.values.flatMap(\.metadata.objects).map(\.filePath)
    return Set(names.map { "metadata/\($0)" }).union(objects)
  }
}
