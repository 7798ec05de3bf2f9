import SeedFormat
package import SeedSystem

/// How the mirrors stand, for monitors of a front that has no rights to the publisher's state. Their places are private: a mirror is told
/// by its number in the configuration, from 1.
package struct MirrorFacts: Hashable, Sendable {
  /// Since when each mirror has been behind, because it could not be brought up to date; `nil` for one that shows what is published.
  package var behindSince: [UTCTime?]

  package init(behindSince: [UTCTime?]) { self.behindSince = behindSince }

  /// Those that are behind, by their numbers.
  var late: [(number: Int, since: UTCTime)] {
    behindSince.enumerated().compactMap { index, since in since.map { (index + 1, $0) } }
  }
}

extension FactsFolder {
  /// No series has that name, for each ends with a number.
  private var mirrorsFile: String { "\(path)/mirrors.json" }

  /// When what is told of the mirrors was written, by the disk's clock.
  var mirrorsStamp: FileStamp? { (try? FileStamp(mirrorsFile)) ?? nil }

  /// `nil` where there are none, or the file is damaged.
  package var mirrors: MirrorFacts? {
    let bytes = (try? DurableFile.readIfPresent(mirrorsFile, limit: Self.mostBytes)) ?? nil
    guard let bytes, let list = (try? JSONValue(parsing: bytes))?["mirrors"]?.elements else { return nil }
    return MirrorFacts(
      behindSince: list.map { $0["behindSince"]?.string.flatMap { UTCTime($0) } })
  }

  /// Replaces the file, where it says something else; `nil` removes it.
  package func write(_ mirrors: MirrorFacts?) throws(FileError) {
    guard let mirrors else { return try Folder.remove(mirrorsFile) }
    guard mirrors != self.mirrors else { return }
    let list = mirrors.behindSince.map { since -> JSONValue in ["behindSince": JSONValue(since?.text)] }
    try Folder.create(path)
    try DurableFile.replace(mirrorsFile, with: (["mirrors": .array(list)] as JSONValue).bytes)
  }
}
