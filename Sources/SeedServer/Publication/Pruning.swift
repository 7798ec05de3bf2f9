import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

/// Decides which published files go: those that no current metadata has named for a grace period. Pure.
///
/// A client that read the metadata before is still fetching what it named. When a file stopped being named is
/// not written anywhere else, so it is remembered; where the memory is lost, the grace begins anew.
struct Pruning {
  /// Seconds for which a file stays after it was last named.
  let graceSeconds: Int

  /// Since when files are not named any more, by path.
  typealias Memory = [String: UTCTime]

  /// What to remove now, and what to remember.
  func decide(
    found: [String], named: Set<String>, memory: Memory, now: UTCTime
  ) -> (remove: [String], memory: Memory) {
    var remove: [String] = []
    var next: Memory = [:]
    for path in found where !named.contains(path) {
      // A clock that was set back must not stretch the grace for ever.
      let since = min(memory[path] ?? now, now)
      if now.secondsSinceEpoch - since.secondsSinceEpoch >= graceSeconds, memory[path] != nil {
        remove.append(path)
      } else {
        next[path] = since
      }
    }
    return (remove, next)
  }
}

extension PublicationDirectory {
  /// The files that may go one day: metadata besides the roots, and objects; paths within the publication.
  func prunableFiles(_ series: [Series]) throws(FileError) -> [String] {
    var files = try Folder.names(in: "\(path)/metadata")
      .filter { $0 != "timestamp.json" && !$0.hasSuffix(".root.json") }.map { "metadata/\($0)" }
    for one in series {
      let folder = "targets/\(one.targetPrefix)"
      files += try Folder.names(in: "\(path)/\(folder)").map { folder + $0 }
    }
    return files.filter { !$0.hasSuffix(DurableFile.temporarySuffix) && !$0.hasSuffix(SnapshotDrafts.suffix) }
  }

  /// Removes what crashes left; nobody else may be writing.
  func sweep(_ series: [Series]) throws(FileError) {
    try DurableFile.sweep("\(path)/metadata")
    for one in series { try DurableFile.sweep("\(path)/targets/\(one.targetPrefix)") }
  }

  /// Removes what may go and remembers the rest, by when it stopped being named; a dry run only finds out.
  func prune(
    _ published: PublishedMetadata, _ memory: PruningMemory, _ pruning: Pruning, now: UTCTime, isDryRun: Bool
  ) throws -> (removed: [String], waiting: Pruning.Memory) {
    let known = try memory.read()
    let found = try prunableFiles(published.delegatedSeries)
    let (remove, next) = pruning.decide(found: found, named: published.namedFiles, memory: known, now: now)
    guard !isDryRun else { return (remove, next) }
    for file in remove { try Folder.remove("\(path)/\(file)") }
    if next != known { try memory.write(next) }
    return (remove, next)
  }
}

extension PublishedMetadata {
  /// The files that current metadata names, by their paths within the publication.
  var namedFiles: Set<String> {
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
