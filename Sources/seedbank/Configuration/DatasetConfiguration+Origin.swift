import SeedDatabase
import SeedFormat
import SeedPublication
import SeedPublisher
import SeedSystem

#if SEEDBANK_POSTGRES
import SeedPostgres
#endif

struct PostgresSettings: Hashable {
  var url: PostgresURL?
  /// Whether the URL is an argument of `init`, so that no environment variable can replace it.
  var isArgument = false
  var schema = "public"
  var statementTimeoutSeconds = 600
  var lockTimeoutSeconds = 5
  var rowSecurity = RowSecurity.refuse

  enum RowSecurity: String, CaseIterable, Sendable { case refuse, apply }
}

extension DatasetConfiguration {
  /// In reading order. The last location, `origin.command`, checks that one is given; later settings need it.
  static let originSettings = databaseSettings + feedSettings + readingSettings

  private static let databaseSettings: [Setting<Self>] = [
    Setting(
      key: "origin.sqlite", type: "path", usual: "none",
      meaning:
        "the SQLite file that holds the data; it is only read. Alternatives are `origin.postgres`, `origin.feed` and "
        + "`origin.command`",
      read: { dataset, value throws(Refusal) in dataset.originPath = try value.path() ?? "" },
      json: { $0.originPath.isEmpty ? .null : .string(Paths.relative($0.originPath, to: $0.folder)) }),
    Setting(
      key: "origin.postgres", type: "URL", usual: "none",
      meaning:
        "instead of a file, the PostgreSQL database that holds the data, such as `postgres://seedbank@db.example/shop"
        + "?sslmode=verify-full`; it is only read. Never write a password here: put it in a password file or in `PGPASSWORD`, "
        + "or put the whole URL in this key's environment variable", read: readPostgres,
      json: { $0.postgres.url.map { .string($0.withoutPassword) } ?? .null }),
    Setting(
      "origin.schema", \.postgres.schema, type: "string", isSeldom: true,
      "the schema of the tables in that database",
      read: { value throws(Refusal) in try value.text() }, json: { .string($0) }),
  ]

  private static let readingSettings: [Setting<Self>] = [
    Setting(
      key: "origin.changes", type: "`compare`, `log`", usual: "`compare`", isSeldom: true,
      meaning:
        "how a step finds changes: `compare` reads all rows; `log` reads only the rows named by a log in the origin, which "
        + "`seedbank origin log setup` adds to a SQLite file or a PostgreSQL database", read: readChanges,
      json: { .string($0.policy.changes.rawValue) }),
    .integer(
      "origin.auditSeconds", \.policy.auditSeconds, in: 60...31_536_000, isSeldom: true,
      "seconds between two checks of the log, which compare all rows"),
    .integer(
      "origin.statementTimeoutSeconds", \.postgres.statementTimeoutSeconds, in: 1...86_400, isSeldom: true,
      "seconds that PostgreSQL may take for one table"),
    .integer(
      "origin.lockTimeoutSeconds", \.postgres.lockTimeoutSeconds, in: 1...3600, isSeldom: true,
      "seconds to wait for a table that is locked by ALTER TABLE or TRUNCATE"),
    .choice(
      "origin.rowSecurity", \.postgres.rowSecurity, isSeldom: true,
      "how to handle PostgreSQL tables with rows hidden by row-level security: `refuse` publishes nothing, `apply` "
        + "publishes the rows that the user may read"),
  ]

  /// Read after the location.
  @Sendable private static func readChanges(
    _ dataset: inout Self, _ value: ConfigurationValue
  ) throws(Refusal) {
    guard let changes: ChangeFinding = try value.choice() else { return }
    guard changes == .comparison || !dataset.originPath.isEmpty || dataset.postgres.url != nil else {
      throw value.error(
        "expected \"compare\", found \"log\": only a SQLite file or a PostgreSQL database can have a log")
    }
    dataset.policy.changes = changes
  }

  @Sendable private static func readPostgres(
    _ dataset: inout Self, _ value: ConfigurationValue
  ) throws(Refusal) {
    guard let text = try value.text() else { return }
    // The value is not shown, because a malformed URL may still contain a password.
    guard let url = PostgresURL(text) else {
      throw value.error("expected a URL such as postgres://user@host/database, found something else")
    }
    guard url.isSound else {
      throw value.error("expected a URL of PostgreSQL, found \(PostgresURL.unsoundness)")
    }
    if url.hasPassword, !value.isOverridden {
      throw value.error(
        "the URL must not contain a password, because everyone who can read this file would see it: put the password "
          + "in a password file (PGPASSFILE, ~/.pgpass) or in PGPASSWORD, or put the whole URL in \(value.variable)"
      )
    }
    dataset.postgres.url = url
  }

  func databasePlace() throws(Refusal) -> any OriginPlace {
    guard let url = postgres.url else { return SQLitePlace(originPath) }
    #if SEEDBANK_POSTGRES
    return postgresPlace(url)
    #else
    throw Refusal.configuration(
      url.shown,
      "this seedbank was built without PostgreSQL (SEEDBANK_POSTGRES=0): build it without that variable, with libpq-dev installed"
    )
    #endif
  }

  #if SEEDBANK_POSTGRES
  func postgresPlace(_ url: PostgresURL) -> PostgresPlace {
    var place = PostgresPlace(url: url.text, shownURL: url.shown, schema: postgres.schema)
    place.statementTimeoutSeconds = postgres.statementTimeoutSeconds
    place.lockTimeoutSeconds = postgres.lockTimeoutSeconds
    place.appliesRowSecurity = postgres.rowSecurity == .apply
    place.application = "seedbank/\(name)"
    if !postgres.isArgument {
      place.variable = ConfigurationOverrides.variable(for: "\(prefix)origin.postgres")
    }
    return place
  }
  #endif

  var originText: String { postgres.url?.shown ?? originPath }
}
