import SeedFormat
import SeedPublication

extension PublicationDirectory {
  /// For the one process that changes the publication.
  var lock: LockFile { LockFile("\(path)/.lock", of: path) }

  /// For the one process that makes snapshots of the series. Never wait for this lock while holding the publication's
  /// lock, because its holder waits for that one.
  func snapshotLock(of series: SeedSeries) -> LockFile {
    LockFile("\(path)/.\(series.roleName).snapshots.lock", of: path)
  }

  /// Protects collecting and writing facts, so older facts never replace newer ones.
  var factsLock: LockFile { LockFile("\(path)/.facts.lock", of: path) }
}
