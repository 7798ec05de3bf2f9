import SeedFormat
import SeedPublisher
import SeedSystem

#if SEEDBANK_POSTGRES
import SeedPostgres
#endif

/// A database with an origin's structure: the origin itself or, for a feed, an empty file with its tables.
final class SurveyedOrigin {
  let feed: FeedSurvey?
  private let dataset: DatasetConfiguration
  private let scratch: ScratchFolder?

  /// Surveys a path: a feed if it is a folder or has one of the `endings`, otherwise a SQLite file. Without a path,
  /// surveys the dataset's own database.
  init(of dataset: DatasetConfiguration, at path: String?) throws {
    guard let path, Self.isFeed(path) else {
      (self.dataset, feed, scratch) = (path.map(dataset.looking) ?? dataset, nil, nil)
      return
    }
    let survey = try FeedSurvey(path, dataset.feed)
    let scratch = try ScratchFolder()
    let file = scratch.file("feed.sqlite")
    (self.dataset, feed, self.scratch) = (dataset.looking(at: file), survey, scratch)
    try survey.make(at: file)
  }

  /// Returns the structure as SQL for SQLite. `tables` limits a survey of PostgreSQL.
  func survey(tables: [String]? = nil) throws -> OriginSurvey {
    guard let url = dataset.postgres.url else { return try OriginSurvey(dataset.originPath) }
    #if SEEDBANK_POSTGRES
    return try OriginSurvey(dataset.postgresPlace(url), tables: tables)
    #else
    // Throws, because this build does not support PostgreSQL.
    _ = try dataset.databasePlace()
    return try OriginSurvey(url.shown)
    #endif
  }

  var skipped: [SetupNote] {
    (feed?.skipped ?? []).map {
      SetupNote(kind: .file, name: $0.file, reason: $0.reason, remedy: Self.fileRemedy)
    }
  }

  private static let fileRemedy = "if it has rows, describe them in origin.tables; otherwise no action needed"

  /// Settings that a feed's files need and the configuration lacks.
  func additions(in file: String) -> [String] {
    (feed?.guesses ?? []).map { table in
      "\(file): add \(JSONValue.string(table.table).text): \(table.json.text) to origin.tables, because its file has this format"
    }
  }

  func open() throws -> any Origin { try dataset.databasePlace().open(waitSeconds: Self.waitSeconds) }

  private static let waitSeconds = 10

  deinit { scratch?.remove() }

  /// Without .txt, because a single .txt file may contain anything. In a folder, .txt files are CSV, as in GTFS.
  private static let endings = [".csv", ".tsv", ".json", ".ndjson", ".jsonl", ".gz", ".zip"]

  private static func isFeed(_ path: String) -> Bool {
    Folder.leadsToFolder(path) || endings.contains { path.lowercased().hasSuffix($0) }
  }
}

extension DatasetConfiguration {
  fileprivate func looking(at file: String) -> Self {
    var other = self
    (other.originPath, other.postgres, other.feed) = (file, PostgresSettings(), FeedSettings())
    return other
  }

  /// Surveys the dataset's origin, or another path in its place.
  func surveyed(from path: String?) throws -> SurveyedOrigin {
    guard path != nil || postgres.url == nil else { return try SurveyedOrigin(of: self, at: nil) }
    return try SurveyedOrigin(of: self, at: path ?? (feed.source == nil ? originPath : filledFeed()))
  }

  /// The feed's path, or the folder that its program filled last.
  private func filledFeed() throws -> String {
    if case .path(let path)? = feed.source { return path }
    return try FeedPlace(name, feed, plans(), stateFolder: stateFolder, use: .look).filledFolder()
  }
}
