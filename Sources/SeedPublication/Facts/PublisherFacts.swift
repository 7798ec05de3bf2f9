package import SeedFormat
package import SeedSystem

/// A problem on a publisher's machine outside its steps, as a code without private details. Worst first.
package enum PublisherConcern: String, Hashable, Sendable, CaseIterable {
  /// A dataset has no published series.
  case datasetUnpublished
  /// A model has no series yet, although other models of its dataset are served.
  case modelUnpublished
  /// A key file is missing, unusable or readable by others.
  case keyFiles
  /// A change of keys needs signatures.
  case keyChange
  /// The disk with working copies and history is nearly full.
  case stateDisk
}

/// A problem of one series on the publisher's machine, as a code.
package enum SeriesDoubt: String, Hashable, Sendable, CaseIterable {
  case noModel
  case copy
  case log
}

/// The state of a publisher's machine, for a front without access to it. `seedbank status` has the details.
package struct PublisherFacts: Hashable, Sendable {
  package var concerns: Set<PublisherConcern> = []
  package var doubts: [Series: Set<SeriesDoubt>] = [:]

  package init() {}
}

extension FactsFolder {
  /// Cannot collide with a series, whose file name ends with a number.
  private var publisherFile: String { "\(path)/publisher.json" }

  package var publisherStamp: FileStamp? { (try? FileStamp(publisherFile)) ?? nil }

  package var publisher: PublisherFacts? {
    let bytes = (try? DurableFile.readIfPresent(publisherFile, limit: Self.mostBytes)) ?? nil
    return bytes.flatMap { try? JSONValue(parsing: $0) }.flatMap(PublisherFacts.init)
  }

  /// Writes the file if its content changed; `nil` removes it.
  package func write(_ publisher: PublisherFacts?) throws(FileError) {
    guard let publisher else { return try Folder.remove(publisherFile) }
    guard publisher != self.publisher else { return }
    try Folder.create(path)
    try DurableFile.replace(publisherFile, with: publisher.json.bytes)
  }
}

extension PublisherFacts {
  /// Ignores unknown codes.
  fileprivate init?(_ json: JSONValue) {
    guard let words = json["concerns"]?.elements, let series = json["series"]?.elements else { return nil }
    concerns = Set(words.compactMap { $0.string.flatMap(PublisherConcern.init) })
    for one in series {
      guard let name = one["dataset"]?.string, let major = one["major"]?.integer,
        let series = try? Series(DatasetName(name), major: major)
      else { return nil }
      doubts[series] = Set((one["doubts"]?.elements ?? []).compactMap { $0.string.flatMap(SeriesDoubt.init) })
    }
  }

  fileprivate var json: JSONValue {
    [
      "concerns": JSONValue(strings: PublisherConcern.allCases.filter(concerns.contains).map(\.rawValue)),
      "series": .array(doubts.sorted { $0.key < $1.key }.map(Self.json)),
    ]
  }

  private static func json(_ series: Series, _ doubts: Set<SeriesDoubt>) -> JSONValue {
    [
      "dataset": .string(series.dataset.text), "major": JSONValue(series.major),
      "doubts": JSONValue(strings: SeriesDoubt.allCases.filter(doubts.contains).map(\.rawValue)),
    ]
  }
}
