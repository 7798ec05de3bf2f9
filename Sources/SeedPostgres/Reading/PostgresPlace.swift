package struct PostgresPlace: Sendable, Hashable {
  /// For libpq. May contain a password, so messages never include it.
  let url: String
  /// For messages: without user and password.
  let shownURL: String
  package let schema: String
  /// Seconds for one statement, including COPY of a whole table.
  package var statementTimeoutSeconds = 600
  /// Seconds to wait for a lock, such as that of an ALTER TABLE.
  package var lockTimeoutSeconds = 5
  /// Whether to accept only the rows that row-level security shows this user.
  package var appliesRowSecurity = false
  /// Seconds to establish a session with a single host.
  var connectSeconds = 30
  /// Seconds to establish a session with one of several hosts, unless the URL has `connect_timeout`.
  var hostSeconds: Int { min(connectSeconds, 10) }
  var hasSeveralHosts: Bool { url.contains(",") }
  package var application = "seedbank"
  /// The environment variable for the URL with a password, for messages.
  package var variable: String?

  package init(url: String, shownURL: String, schema: String) {
    (self.url, self.shownURL, self.schema) = (url, shownURL, schema)
  }

  /// For messages; unique for each place.
  package var text: String { schema == "public" ? shownURL : "\(shownURL), schema \"\(schema)\"" }

  /// Parameters for libpq. The URL can override those before `dbname`.
  var parameters: [(key: String, value: String)] {
    [
      ("keepalives_idle", "\(Self.keepaliveSeconds)"), ("keepalives_interval", "\(Self.keepaliveSeconds)"),
      ("keepalives_count", "3"), ("connect_timeout", "\(hostSeconds)"),
      ("tcp_user_timeout", "\(Self.silenceMilliseconds)"), ("dbname", url),
      ("client_encoding", "UTF8"), ("application_name", application),
    ]
  }

  private static let keepaliveSeconds = 30
  /// Milliseconds for which data or a connection attempt may stay unacknowledged.
  private static let silenceMilliseconds = 10_000
}
