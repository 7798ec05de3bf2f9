import SeedDatabase
import SeedFormat
import SeedPublisher

#if SEEDBANK_POSTGRES
import SeedPostgres
#endif

extension DatasetConfiguration {
  /// Surveys the origin in SQLite's SQL. `tables` limits a survey of PostgreSQL.
  func survey(tables: [String]? = nil) throws -> OriginSurvey {
    guard let url = postgres.url else { return try OriginSurvey(originPath) }
    #if SEEDBANK_POSTGRES
    return try OriginSurvey(try PostgresSurvey(postgresPlace(url), tables: tables))
    #else
    // Throws: this build does not support PostgreSQL.
    _ = try databasePlace()
    return try OriginSurvey(url.shown)
    #endif
  }

  /// This dataset with a SQLite file as its origin.
  func looking(at file: String) -> Self {
    var other = self
    (other.originPath, other.postgres, other.feed) = (file, PostgresSettings(), FeedSettings())
    return other
  }
}

#if SEEDBANK_POSTGRES
extension OriginSurvey {
  /// Surveys a SQLite database with the same tables.
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
  /// The remedy for parts that SQLite cannot express. For a table, the reason includes it.
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
