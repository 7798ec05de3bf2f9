import SeedDatabase
import SeedFormat
import SeedPublisher

#if SEEDBANK_POSTGRES
import SeedPostgres
#endif

extension DatasetConfiguration {
  /// What the origin holds, as SQL of SQLite; of PostgreSQL's tables only the named ones, where some are.
  func survey(tables: [String]? = nil) throws -> OriginSurvey {
    guard let url = postgres.url else { return try OriginSurvey(originPath) }
    #if SEEDBANK_POSTGRES
    return try OriginSurvey(try PostgresSurvey(postgresPlace(url), tables: tables))
    #else
    // Says that this build cannot.
    _ = try databasePlace()
    return try OriginSurvey(url.shown)
    #endif
  }

  /// This dataset with a SQLite file in its origin's place.
  func looking(at file: String) -> Self {
    var other = self
    (other.originPath, other.postgres, other.feed) = (file, PostgresSettings(), FeedSettings())
    return other
  }
}

#if SEEDBANK_POSTGRES
extension OriginSurvey {
  /// As a file with these tables would be surveyed.
  init(_ survey: PostgresSurvey) throws {
    let connection = try Connection("schema", .memory)
    for statement in survey.statements { try connection.execute(statement) }
    try self.init(connection, survey.outline, leftOut: survey.leftOut.map(SetupNote.init))
  }
}

extension SetupNote {
  init(_ part: PostgresSurvey.LeftOut) {
    let kind: Kind =
      switch part.kind {
      case .table: .table
      case .column: .column
      case .index: .index
      case .view: .view
      case .reference: .reference
      }
    self.init(
      kind: kind, name: part.name, part: part.part, reason: part.reason,
      remedy: part.remedy.isEmpty ? part.kind.usualRemedy : part.remedy)
  }
}

extension PostgresSurvey.LeftOut.Kind {
  /// For what only lacks a form in SQLite. Of a table the reason says what to do.
  fileprivate var usualRemedy: String {
    switch self {
    case .table, .view: ""
    case .column:
      "for its values, add a column to schema.sql, and to the table's file TABLE.sql a SELECT with a cast or another name"
    case .index: SkipCause.indexRemedy
    case .reference: "clients get the rows all the same"
    }
  }
}
#endif
