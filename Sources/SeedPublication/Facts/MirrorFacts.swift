import SeedFormat
package import SeedSystem

/// The mirrors' state, for a front without access to the publisher's. Numbered by configuration: places are private.
package struct MirrorFacts: Hashable, Sendable {
  /// When each mirror fell behind; `nil` if it is up to date.
  package var behindSince: [UTCTime?]

  package init(behindSince: [UTCTime?]) { self.behindSince = behindSince }

  package var late: [(number: Int, since: UTCTime)] {
    behindSince.enumerated().compactMap { index, since in since.map { (index + 1, $0) } }
  }
}

extension FactsFolder {
  /// Cannot collide with a series, whose file name ends with a number.
  private var mirrorsFile: String { "\(path)/mirrors.json" }

  package var mirrorsStamp: FileStamp? { (try? FileStamp(mirrorsFile)) ?? nil }

  /// `nil` if the file is missing or damaged.
  package var mirrors: MirrorFacts? {
    let bytes = (try? DurableFile.readIfPresent(mirrorsFile, limit: Self.mostBytes)) ?? nil
    guard let bytes, let list = (try? JSONValue(parsing: bytes))?["mirrors"]?.elements else { return nil }
    return MirrorFacts(
      behindSince: list.map { $0["behindSince"]?.string.flatMap { UTCTime($0) } })
  }

  /// Writes the file if its content changed; `nil` removes it.
  package func write(_ mirrors: MirrorFacts?) throws(FileError) {
    guard let mirrors else { return try Folder.remove(mirrorsFile) }
    guard mirrors != self.mirrors else { return }
    let list = mirrors.behindSince.map { since -> JSONValue in ["behindSince": JSONValue(since?.text)] }
    try Folder.create(path)
    try DurableFile.replace(mirrorsFile, with: (["mirrors": .array(list)] as JSONValue).bytes)
  }
}
