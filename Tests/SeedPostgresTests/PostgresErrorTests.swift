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
}
