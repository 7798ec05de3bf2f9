package import SeedFormat
package import SeedSystem

/// A problem on a publisher's machine outside its steps, as a code without private details. The worst case is first.
package enum PublisherProblem: String, Hashable, Sendable, CaseIterable {
  /// A dataset has no published series.
  case datasetUnpublished
  /// A model has no series yet, although other models of its dataset are served.
  case modelUnpublished
  /// A key file is missing, unusable or readable by others.
  case keyFiles
  /// A key change needs signatures.
  case keyChange
  /// The disk with working copies and history is nearly full.
  case stateDisk
}

/// A problem of one series on the publisher's machine, as a code.
package enum SeriesDoubt: String, Hashable, Sendable, CaseIterable { case noModel, copy, log }

/// The state of a publisher's machine, for a front without access to it. `seedbank status` shows the details.
package struct PublisherFacts: Hashable, Sendable {
  package var problems: Set<PublisherProblem> = []
  package var doubts: [SeedSeries: Set<SeriesDoubt>] = [:]

  package init() {}
}

/// The mirrors' state. Mirrors are numbered as in the configuration, because their places are private.
package struct MirrorFacts: Hashable, Sendable {
  /// When each mirror fell behind; `nil` if it is up to date.
  package var behindSince: [UTCTime?]

  package init(behindSince: [UTCTime?]) { self.behindSince = behindSince }

  package var late: [(number: Int, since: UTCTime)] {
    behindSince.enumerated().compactMap { index, since in since.map { (index + 1, $0) } }
  }
}

/// Facts in a separate file. Its name cannot collide with a series' file, whose name ends with a number.
package protocol CommonFacts: Hashable, Sendable {
  static var fileName: String { get }
  init?(_ json: JSONValue)
  var json: JSONValue { get }
}

extension FactsFolder {
  private func file<Facts: CommonFacts>(_ type: Facts.Type) -> String { "\(path)/\(type.fileName)" }

  package func stamp<Facts: CommonFacts>(_ type: Facts.Type) -> FileStamp? { try? FileStamp(file(type)) }

  package func read<Facts: CommonFacts>(_ type: Facts.Type = Facts.self) -> Facts? { try? content(type) }

  /// Like `read(_:)`, but throws if the file could not be read.
  package func content<Facts: CommonFacts>(_ type: Facts.Type) throws(FileError) -> Facts? {
    try json(file(type)).flatMap(Facts.init)
  }

  /// Writes the file if its content changed, or removes it for `nil`. Collects the facts under the lock.
  package func write<Facts: CommonFacts>(_ facts: @autoclosure () throws -> Facts?) throws {
    try lock.hold(.short) {
      guard let facts = try facts() else { return try Folder.remove(file(Facts.self)) }
      guard facts != read(Facts.self) else { return }
      try Folder.create(path)
      try DurableFile.replace(file(Facts.self), with: facts.json.bytes, mode: PublicationDirectory.fileMode)
    }
  }
}

extension MirrorFacts: CommonFacts {
  package static var fileName: String { "mirrors.json" }

  package init?(_ json: JSONValue) {
    guard let list = json["mirrors"]?.elements else { return nil }
    behindSince = list.map { $0["behindSince"]?.time }
  }

  package var json: JSONValue {
    ["mirrors": .array(behindSince.map { ["behindSince": JSONValue($0?.text)] })]
  }
}

extension PublisherFacts: CommonFacts {
  package static var fileName: String { "publisher.json" }

  /// Ignores unknown codes.
  package init?(_ json: JSONValue) {
    guard let words = json["problems"]?.elements, let series = json["series"]?.elements else { return nil }
    problems = Set(words.compactMap { $0.string.flatMap(PublisherProblem.init) })
    for one in series {
      guard let name = one["dataset"]?.string, let major = one["major"]?.integer,
        let series = try? SeedSeries(DatasetName(name), major: major)
      else { return nil }
      doubts[series] = Set((one["doubts"]?.elements ?? []).compactMap { $0.string.flatMap(SeriesDoubt.init) })
    }
  }

  package var json: JSONValue {
    [
      "problems": JSONValue(strings: PublisherProblem.allCases.filter(problems.contains).map(\.rawValue)),
      "series": .array(doubts.sorted { $0.key < $1.key }.map(Self.json)),
    ]
  }

  private static func json(_ series: SeedSeries, _ doubts: Set<SeriesDoubt>) -> JSONValue {
    [
      "dataset": .string(series.dataset.text), "major": JSONValue(series.major),
      "doubts": JSONValue(strings: SeriesDoubt.allCases.filter(doubts.contains).map(\.rawValue)),
    ]
  }
}

/// The result of the newest `verify` of the whole publication.
package struct VerificationFacts: Hashable, Sendable {
  package let at: UTCTime
  package let isSound: Bool
  /// When a verification last found no error; `nil` if none did.
  package let soundAt: UTCTime?

  package init(isSound: Bool, at: UTCTime, after last: Self?) {
    (self.isSound, self.at, soundAt) = (isSound, at, isSound ? at : last?.soundAt)
  }

  /// `nil` if the publication was sound.
  package var warning: String? {
    guard !isSound else { return nil }
    return
      "the newest verification, of \(at), found errors in the publication: 'seedbank verify' names each with a remedy; run "
      + "it again after the repair"
  }
}

extension VerificationFacts: CommonFacts {
  package static var fileName: String { "verification.json" }

  package init?(_ json: JSONValue) {
    guard let at = json["time"]?.time, let isSound = json["sound"]?.bool else { return nil }
    (self.at, self.isSound, soundAt) = (at, isSound, json["soundAt"]?.time)
  }

  package var json: JSONValue {
    ["time": .string(at.text), "sound": .bool(isSound), "soundAt": JSONValue(soundAt?.text)]
  }
}
