package import SeedFormat
package import SeedSystem

/// What is wrong on a publisher's machine beside its steps, in a word that names nothing of the deployment. The worst first.
package enum PublisherConcern: String, Hashable, Sendable, CaseIterable {
  /// Nothing of some dataset is published.
  case datasetUnpublished
  /// A model has no series yet, beside others of its dataset that are served.
  case modelUnpublished
  /// A key's file cannot be used, others can read it, or it is missing.
  case keyFiles
  /// A change of keys waits for signatures.
  case keyChange
  /// The disk of working copies and history is almost full.
  case stateDisk
}

/// What the publisher's machine knows against one series, in a word.
package enum SeriesDoubt: String, Hashable, Sendable, CaseIterable {
  /// The configuration has no model of it any more.
  case noModel
  /// The working copy cannot be read.
  case copy
  /// The origin's log does not tell all that is written.
  case log
}

/// How a publisher's machine stands, for a front that has no rights to it. `seedbank status` says in words what it is.
package struct PublisherFacts: Hashable, Sendable {
  package var concerns: Set<PublisherConcern> = []
  package var doubts: [Series: Set<SeriesDoubt>] = [:]

  package init() {}
}

extension FactsFolder {
  /// No series has that name, for each ends with a number.
  private var publisherFile: String { "\(path)/publisher.json" }

  /// When what is told of the publisher was written, by the disk's clock.
  var publisherStamp: FileStamp? { (try? FileStamp(publisherFile)) ?? nil }

  /// `nil` where there are none, or the file is damaged.
  package var publisher: PublisherFacts? {
    let bytes = (try? DurableFile.readIfPresent(publisherFile, limit: Self.mostBytes)) ?? nil
    return bytes.flatMap { try? JSONValue(parsing: $0) }.flatMap(PublisherFacts.init)
  }

  /// Replaces the file, where it says something else; `nil` removes it.
  package func write(_ publisher: PublisherFacts?) throws(FileError) {
    guard let publisher else { return try Folder.remove(publisherFile) }
    guard publisher != self.publisher else { return }
    try Folder.create(path)
    try DurableFile.replace(publisherFile, with: publisher.json.bytes)
  }
}

extension PublisherFacts {
  /// Passes over words that it does not know.
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
