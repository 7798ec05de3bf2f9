import SeedServer
import SeedSystem

/// A SQLite file that shows what an origin holds: the origin itself, or an empty one with the tables of a feed.
final class SurveyedOrigin {
  /// The file.
  let path: String
  /// Whether the origin is a feed.
  let isFeed: Bool
  private let scratch: ScratchFolder?

  /// What lies at a path: a folder, and a file whose name says that it has rows or is an archive, is a feed.
  init(at path: String) throws {
    isFeed = Self.isFeed(path)
    guard isFeed else {
      (self.path, scratch) = (path, nil)
      return
    }
    let survey = try FeedSurvey(path)
    let scratch = try ScratchFolder()
    (self.path, self.scratch) = (scratch.file("feed.sqlite"), scratch)
    try survey.make(at: self.path)
  }

  deinit { scratch?.remove() }

  /// A text by itself may be anything; in a folder it is CSV, as in timetables.
  private static let endings = [".csv", ".tsv", ".json", ".ndjson", ".jsonl", ".gz", ".zip"]

  private static func isFeed(_ path: String) -> Bool {
    Folder.isFolder(path) || endings.contains { path.lowercased().hasSuffix($0) }
  }
}

extension DatasetConfiguration {
  /// What the dataset's origin holds, or what lies at another path in its place.
  func surveyed(from path: String?) throws -> SurveyedOrigin {
    try SurveyedOrigin(at: path ?? (feed.source == nil ? originPath : filledFeed))
  }

  /// The feed of the dataset, for who only looks; `nil` where the origin is none.
  var feedPlace: FeedPlace? {
    guard feed.source != nil, let plans = try? plans() else { return nil }
    return FeedPlace(name, feed, plans, stateFolder: stateFolder, use: .look)
  }

  /// The feed's files, or those that its program fetched last.
  private var filledFeed: String {
    get throws {
      if case .path(let path)? = feed.source { return path }
      return try feedPlace?.filledFolder() ?? originPath
    }
  }
}
