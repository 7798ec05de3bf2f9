import SeedDatabase
package import SeedFormat
package import SeedSystem
package import SeedTrust

/// Removes published files after a grace period in which no metadata named them. Until then, clients may be fetching
/// them. If the stored times are lost, the grace period restarts.
package struct Pruning {
  let publication: PublicationDirectory
  let stateFolder: String
  let graceSeconds: Int

  package init(publication: PublicationDirectory, stateFolder: String, graceSeconds: Int) {
    (self.publication, self.stateFolder, self.graceSeconds) = (publication, stateFolder, graceSeconds)
  }

  /// The time at which each file became unnamed, by path within the publication.
  package typealias Unnamed = [String: UTCTime]

  /// Returns warnings about files that cannot be removed; the next run tries again. Files in `keeping` count as named.
  /// After a step of one `dataset`, lists only the folders of its series, and of other series with an unnamed file due
  /// for removal. With many datasets, listing all folders would make each step slow.
  package func run(
    _ published: PublishedMetadata, of dataset: DatasetName? = nil, keeping: [String] = [], now: UTCTime,
    isDryRun: Bool
  ) throws -> (removed: [String], waiting: Unnamed, warnings: [String]) {
    let known = remembered()
    func isOver(_ time: UTCTime) -> Bool { now.secondsSinceEpoch - time.secondsSinceEpoch >= graceSeconds }
    func isOwn(_ one: SeedSeries) -> Bool { dataset == nil || one.dataset == dataset }
    let oldest = Dictionary(known.map { (Folder.parent(of: $0), $1) }, uniquingKeysWith: min)
    let series = published.delegatedSeries.filter { isOwn($0) || oldest[$0.folder] != nil }
    let listed = series.filter { isOwn($0) || oldest[$0.folder].map(isOver) == true }
    let unlisted = Set(series.map(\.folder)).subtracting(listed.map(\.folder))
    let named = published.namedFiles(of: series).union(keeping)
    let unnamed = try publication.prunableFiles(listed).filter { !named.contains($0) }
    // A clock that was set back must not prolong the grace period.
    let since = Unnamed(uniqueKeysWithValues: unnamed.map { ($0, min(known[$0] ?? now, now)) })
    var waiting = since.filter { path, time in known[path] == nil || !isOver(time) }
    let due = unnamed.filter { waiting[$0] == nil }
    guard !isDryRun else { return (due, waiting, []) }
    var failures: [(since: UTCTime, error: FileError)] = []
    for file in due {
      do throws(FileError) { try Folder.remove("\(publication.path)/\(file)") } catch {
        failures.append((since[file] ?? now, error))
        waiting[file] = since[file]
      }
    }
    for (file, time) in known where unlisted.contains(Folder.parent(of: file)) && !named.contains(file) {
      waiting[file] = min(time, now)
    }
    if waiting != known { try remember(waiting) }
    return (due.filter { waiting[$0] == nil }, waiting, Self.warnings(failures))
  }

  // A warning names one file, the oldest or the first, because a warning that changes is not recognised as repeated.

  private static func warnings(_ failures: [(since: UTCTime, error: FileError)]) -> [String] {
    let oldest = failures.min { ($0.since, $0.error.path) < ($1.since, $1.error.path) }
    return warnings(oldest?.error, "obsolete files")
  }

  package static func warnings(ofLeftovers failures: [FileError]) -> [String] {
    warnings(failures.min { $0.path < $1.path }, "files left by a crash")
  }

  private static func warnings(_ error: FileError?, _ files: String) -> [String] {
    error.map {
      ["\($0), so \(files) remain: remove them by hand, or let this user do so; clients are not affected"]
    } ?? []
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
    // Not fsynced: if a power failure loses the file, the grace period restarts.
    try DurableFile.replace(memory, with: JSONValue(unnamed) { JSONValue($0.secondsSinceEpoch) }.bytes)
  }
}

extension PublicationDirectory {
  /// Lists the objects, and the metadata other than the roots and the timestamp, as paths within the publication.
  fileprivate func prunableFiles(_ series: [SeedSeries]) throws(FileError) -> [String] {
    var files = try Folder.names(in: "\(path)/metadata")
      .filter { $0 != "timestamp.json" && !$0.hasSuffix(".root.json") }.map { "metadata/\($0)" }
    for one in series {
      files += try Folder.names(in: objectFolder(one)).map { "\(one.folder)/\($0)" }
    }
    return files.filter { !$0.hasSuffix(DurableFile.temporarySuffix) && !$0.hasSuffix(Self.draftSuffix) }
  }
}

extension PublishedMetadata {
  /// Returns the named metadata, and the named objects of some series.
  fileprivate func namedFiles(of some: [SeedSeries]) -> Set<String> {
    let roles =
      [(Targets.type, targets.version), (SnapshotRole.type, snapshot.version)]
      + series.map { ($0.roleName, $1.version) }
    let objects = some.flatMap { series[$0]?.metadata.objects ?? [] }.map(\.filePath)
    return Set(roles.map { "metadata/\(MetadataName.versioned($0, $1))" } + objects)
  }
}
