import SeedFormat
import SeedServer
import SeedSystem

/// A database that shows what an origin holds: the origin itself, or an empty file with the tables of a feed.
final class SurveyedOrigin {
  /// What a feed's files tell; `nil` if the origin is no feed.
  let feed: FeedSurvey?
  /// A dataset with that database as its origin.
  private let dataset: DatasetConfiguration
  private let scratch: ScratchFolder?

  /// The dataset's own database.
  init(of dataset: DatasetConfiguration) { (self.dataset, feed, scratch) = (dataset, nil, nil) }

  /// What lies at a path: a folder, and a file whose name says that it has rows or is an archive, is a feed.
  init(of dataset: DatasetConfiguration, at path: String) throws {
    guard Self.isFeed(path) else {
      (self.dataset, feed, scratch) = (dataset.looking(at: path), nil, nil)
      return
    }
    let survey = try FeedSurvey(path, dataset.feed)
    let scratch = try ScratchFolder()
    let file = scratch.file("feed.sqlite")
    (self.dataset, feed, self.scratch) = (dataset.looking(at: file), survey, scratch)
    try survey.make(at: file)
  }

  /// What it holds; of PostgreSQL's tables only the named ones, where some are.
  func survey(tables: [String]? = nil) throws -> OriginSurvey { try dataset.survey(tables: tables) }

  /// Files of a feed that are no tables.
  var leftOut: [SetupNote] {
    (feed?.leftOut ?? []).map {
      SetupNote(kind: .file, name: $0.file, reason: $0.reason, remedy: Self.fileRemedy)
    }
  }

  private static let fileRemedy =
    "if it holds rows, say in origin.tables how, and nothing is to be done if not"

  /// What has to be said of a feed's files in a configuration that does not say it yet.
  func toSay(in file: String) -> [String] {
    (feed?.said ?? []).map { table in
      "\(file): add \(JSONValue.string(table.table).text): \(table.json.text) to origin.tables, for so its file is written"
    }
  }

  func open() throws -> any Origin {
    try dataset.databasePlace().open(waitSeconds: Self.waitSeconds)
  }

  private static let waitSeconds = 10

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
    guard path != nil || postgres.url == nil else { return SurveyedOrigin(of: self) }
    return try SurveyedOrigin(of: self, at: path ?? (feed.source == nil ? originPath : filledFeed))
  }

  /// The feed of the dataset, for who only looks; `nil` if the origin is no feed.
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
