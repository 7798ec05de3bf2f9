package import SeedFormat
package import SeedSystem
import SeedTrust

package struct FactsFolder: Sendable {
  let path: String

  package static let mostBytes = 4 * 1024 * 1024

  /// Held while facts are collected and written. Otherwise older facts could replace newer ones, and two processes
  /// could write the same temporary file.
  package var lock: LockFile {
    let publication = Folder.parent(of: path)
    return LockFile("\(publication)/.facts.lock", of: publication)
  }

  package func file(_ series: SeedSeries) -> String { "\(path)/\(series.roleName).json" }

  /// Returns `nil` if the file is missing, damaged or too large, is not a regular file, or belongs to another series.
  package func read(_ series: SeedSeries) -> SeriesFacts? { try? content(of: series) }

  /// Like `read(_:)`, but throws if the file could not be read.
  package func content(of series: SeedSeries) throws(FileError) -> SeriesFacts? {
    let facts = try json(file(series)).flatMap(SeriesFacts.init)
    return facts?.series == series ? facts : nil
  }

  func json(_ file: String) throws(FileError) -> JSONValue? {
    let bytes = try File(file, for: .readingRegular(followsLinks: false)).readAll(limit: Self.mostBytes)
    return try? JSONValue(parsing: bytes)
  }

  /// Replaces the file atomically without syncing. After a power failure, the next step rewrites it. The caller must
  /// hold the lock.
  package func write(_ facts: SeriesFacts) throws(FileError) {
    try Folder.create(path)
    try DurableFile.replace(file(facts.series), with: facts.fittingBytes, mode: PublicationDirectory.fileMode)
  }

  /// Removes the file and any temporary file left by a crash.
  package func remove(_ series: SeedSeries) throws(FileError) {
    for suffix in ["", DurableFile.temporarySuffix] { try Folder.remove(file(series) + suffix) }
  }

  package func series(of dataset: DatasetName) throws(FileError) -> [SeedSeries] {
    try Folder.names(in: path).filter { $0.hasSuffix(".json") }
      .compactMap { SeedSeries(roleName: String($0.dropLast(".json".count))) }
      .filter { $0.dataset == dataset }
  }

  package func stamp(_ series: SeedSeries) -> FileStamp? { try? FileStamp(file(series)) }
}

extension PublicationDirectory {
  package var facts: FactsFolder { FactsFolder(path: "\(path)/facts") }
}

extension SeriesFacts {
  /// Drops older steps, and finally the tables, until the file fits.
  fileprivate var fittingBytes: [UInt8] {
    var (facts, bytes) = (self, json.bytes)
    while bytes.count > FactsFolder.mostBytes, !facts.steps.isEmpty || !facts.tables.isEmpty {
      if facts.steps.isEmpty {
        facts.tables = []
      } else {
        facts.steps.removeLast((facts.steps.count + 1) / 2)
      }
      bytes = facts.json.bytes
    }
    return bytes
  }
}
