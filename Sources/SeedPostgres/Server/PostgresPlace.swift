/// A schema of a PostgreSQL database, and how it is read.
package struct PostgresPlace: Sendable, Hashable {
  /// As libpq takes it; a password may be in it, so no message holds it.
  let url: String
  /// The same for messages: without user and password.
  let shownURL: String
  /// Where the tables are.
  package let schema: String
  /// Seconds that one statement may take, COPY of a whole table included.
  package var statementTimeoutSeconds = 600
  /// Seconds to wait for a lock, such as that of an ALTER TABLE.
  package var lockTimeoutSeconds = 5
  /// Whether the rows that row-level security leaves to the user are all that is wanted.
  package var appliesRowSecurity = false
  /// Seconds in which a session must stand, whatever hosts are tried for it.
  var connectSeconds = 30
  /// How the server's own lists call the session.
  package var application = "seedbank"
  /// The variable that may hold the URL with a password, for messages.
  package var variable: String?

  package init(url: String, shownURL: String, schema: String) {
    (self.url, self.shownURL, self.schema) = (url, shownURL, schema)
  }

  /// For messages, and different for every other place.
  package var text: String { schema == "public" ? shownURL : "\(shownURL), schema \"\(schema)\"" }

  /// What libpq is told. Keys before `dbname` can be overridden by the URL.
  var parameters: [(key: String, value: String)] {
    [
      ("keepalives_idle", "\(Self.keepaliveSeconds)"), ("keepalives_interval", "\(Self.keepaliveSeconds)"),
      ("keepalives_count", "3"), ("tcp_user_timeout", "\(Self.silenceMilliseconds)"), ("dbname", url),
      ("client_encoding", "UTF8"), ("application_name", application),
    ]
  }

  /// Seconds without a word after which a connection is asked for a sign of life.
  private static let keepaliveSeconds = 30
  /// Milliseconds for which data, or the beginning of a connection, may stay unanswered.
  private static let silenceMilliseconds = 10_000
}
