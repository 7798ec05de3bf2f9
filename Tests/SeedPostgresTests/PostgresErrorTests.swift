import Testing

@testable import SeedPostgres

/// Remedies and classes of errors, by the words of PostgreSQL and libpq.
@Suite struct PostgresErrorTests {
  private func error(_ message: ServerMessage, isOfConnection: Bool = false) -> PostgresError {
    var message = message
    message.isOfConnection = isOfConnection
    message.isOfStandby = !isOfConnection
    return .server(
      place: PostgresPlace(url: "postgres:///x", shownURL: "postgres:///x", schema: "public"), subject: "s",
      message)
  }

  @Test(arguments: [
    (
      "User query might have needed to see row versions that must be removed.",
      "the standby removed rows that were being read: set hot_standby_feedback = on there, or raise"
    ),
    (
      "User was holding a relation lock for too long.",
      "the primary locked a table that was being read, as TRUNCATE, ALTER TABLE, LOCK and sometimes VACUUM do: "
        + "raise max_standby_streaming_delay there"
    ),
    (
      "Ein anderer Grund.",
      "the standby ended a read that delayed its replay: set hot_standby_feedback = on there, which keeps"
    ),
  ])
  func `a standby's conflict is retried, and its remedy depends on the reason`(
    _ detail: String, _ remedy: String
  ) {
    let text = "canceling statement due to conflict with recovery"
    let error = error(ServerMessage(state: "40001", text: text, detail: detail))
    #expect(error.description.hasPrefix("s: \(text) (\(detail)); \(remedy)"), "\(error)")
    #expect(error.isMomentary && error.isUnavailable && !error.isConfiguration)
  }

  @Test func `the last words of a server that ended the session are parsed`() throws {
    let ended = try #require(
      ServerMessage(
        verbose:
          "FATAL:  40001: terminating connection due to conflict with recovery DETAIL:  User was holding a "
          + "relation lock for too long. HINT:  In a moment you should be able to reconnect. LOCATION:  "
          + "ProcessInterrupts, postgres.c:3259 server closed the connection unexpectedly"))
    #expect(ended.state == "40001" && ended.text == "terminating connection due to conflict with recovery")
    #expect(ended.detail == "User was holding a relation lock for too long.")
    let refused = try #require(
      ServerMessage(
        verbose: "connection to server at \"h\", port 1 failed: FATAL:  28P01: no LOCATION:  f, a.c:1"))
    #expect(refused.state == "28P01" && refused.text == "no" && refused.detail.isEmpty)
    #expect(ServerMessage(verbose: "server closed the connection unexpectedly") == nil)
  }

  @Test(arguments: [
    ("", "invalid sslmode value: \"verifyfull\"", "correct the origin's URL", true),
    ("", "invalid URI query parameter: \"ssl_mode\"", "correct the origin's URL", true),
    (
      "", "connection to server at \"h\", port 1 failed: server does not support SSL, but SSL was required",
      "set ssl = on and a certificate on the server", true
    ),
    (
      "", "connection to server at \"h\", port 1 failed: SSL error: certificate verify failed",
      "set sslrootcert", true
    ),
    ("", "root certificate file \"none.crt\" does not exist", "set sslrootcert", true),
    (
      "", "connection to server at \"h\" failed: SSL error: tlsv13 alert certificate required",
      "set sslcert and sslkey", true
    ),
    ("", "could not read certificate file \"a.crt\": no start line", "set sslcert and sslkey", true),
    ("28000", "connection requires a valid client certificate", "set sslcert and sslkey", true),
    ("28000", "role \"a\" is not permitted to log in", "have a superuser run ALTER ROLE … LOGIN", true),
    ("28000", "role \"a\" does not exist", "have a superuser run CREATE ROLE … LOGIN", true),
    ("28000", "no pg_hba.conf entry for host \"h\"", "let pg_hba.conf admit", true),
    (
      "", "connection to server at \"h\", port 1 failed: server is not in hot standby mode",
      "no host has the role that target_session_attrs", false
    ),
    (
      "", "connection to server at \"h\", port 1 failed: Connection refused",
      "check that the server is running",
      false
    ),
    ("", "out of memory", "check that the server is running", false),
  ])
  func `a failed connection has the remedy for its reason`(
    _ state: String, _ text: String, _ remedy: String, _ isConfiguration: Bool
  ) {
    let error = error(ServerMessage(state: state, text: text), isOfConnection: true)
    #expect(error.description.hasPrefix("s: \(text); \(remedy)"), "\(error)")
    #expect(error.isConfiguration == isConfiguration && error.isUnavailable == !isConfiguration)
  }
}
