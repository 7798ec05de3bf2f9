package import SeedFormat
package import SeedSystem

/// Where facts lie: `facts/transit-2.json` in a publication, beside the signed files.
package struct FactsFolder: Sendable {
  let path: String

  /// Bytes of one file at most; larger ones are neither written nor read.
  package static let mostBytes = 4 * 1024 * 1024

  /// The file of a series.
  package func file(_ series: Series) -> String { "\(path)/\(series.roleName).json" }

  /// `nil` where there are none, and where the file is damaged, too large, of another series, or no file.
  package func read(_ series: Series) -> SeriesFacts? {
    let bytes = try? File(file(series), for: .readingRegular(followsLinks: false)).readAll(
      limit: Self.mostBytes)
    guard let bytes, let json = try? JSONValue(parsing: bytes), let facts = SeriesFacts(json),
      facts.series == series
    else { return nil }
    return facts
  }

  /// Replaces the file at once. It is not forced to the disk: after a power loss the next step writes it anew.
  package func write(_ facts: SeriesFacts) throws(FileError) {
    try Folder.create(path)
    try DurableFile.replace(file(facts.series), with: facts.fittingBytes)
  }

  /// Removes the file with what a crash may have left beside it.
  package func remove(_ series: Series) throws(FileError) {
    for suffix in ["", DurableFile.temporarySuffix] { try Folder.remove(file(series) + suffix) }
  }

  /// The series of a dataset that have files here.
  func series(of dataset: DatasetName) throws(FileError) -> [Series] {
    let (start, end) = ("\(dataset)-", ".json")
    return try Folder.names(in: path).filter { $0.hasPrefix(start) && $0.hasSuffix(end) }.compactMap { name in
      canonicalDecimal(name.dropFirst(start.count).dropLast(end.count), in: 1...Limits.modelNumber)
        .flatMap { try? Series(dataset, major: $0) }
    }
  }

  /// When the file was written, by the disk's clock.
  func stamp(_ series: Series) -> FileStamp? { (try? FileStamp(file(series))) ?? nil }
}

extension PublicationDirectory {
  /// The facts beside the publication.
  package var facts: FactsFolder { FactsFolder(of: self) }
}

extension FactsFolder {
  fileprivate init(of publication: PublicationDirectory) { path = "\(publication.path)/facts" }
}

extension SeriesFacts {
  /// With fewer steps, and at last without the tables, where a file would be too large.
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
