import Support

@testable import SeedPublisher

/// An origin made by sqlite3, which has collations and modules that clients lack.
final class DraftedOrigin {
  private let folder: TemporaryFolder
  private var path: String { folder("origin.sqlite") }

  struct Failure: Error { let errors: String }

  init() throws { folder = try TemporaryFolder(inMemory: true) }

  /// Executes SQL and surveys the result.
  func survey(after sql: String) throws -> OriginSurvey {
    let outcome = try TestProgram.run(["sqlite3", "-bail", path], input: .text(sql))
    guard outcome.status == 0 else { throw Failure(errors: outcome.errors) }
    return try OriginSurvey(path)
  }

  /// The draft that `init` makes of a database with this content.
  static func draft(_ sql: String) throws -> SchemaDraft {
    try SchemaDraft(DraftedOrigin().survey(after: sql))
  }
}

extension SchemaDraft {
  var text: String { text(header: "A test.") }

  var skipped: [String] { notes.map { "\($0.kind.rawValue) \($0.name)" } }
}
