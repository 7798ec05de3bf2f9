/// An error as the server or libpq reports it.
package struct ServerMessage: Hashable, Sendable {
  /// The SQLSTATE; empty if the message comes from libpq.
  let state: String
  let text: String
  var detail = ""
  /// The error's position in the statement, in characters from 1.
  var position: Int?
  /// The server's C function that reported the error. Unlike the text, it does not depend on the server's language.
  var function = ""
  var user = ""
  /// The table that was read; nil if one of the model's SELECTs was read.
  var table: String?
  var isOfStandby = false
  /// Whether no session was established.
  var isOfConnection = false

  var isSyntax: Bool { state == "42601" }
  var isOfValue: Bool { state.hasPrefix("22") }
}

extension ServerMessage {
  /// Parses the error text of a connection that failed or that the server ended, such as `…failed: FATAL:  28P01:
  /// password authentication failed for user "x"`. Returns nil if the text has no SQLSTATE.
  init?(verbose lines: String) {
    let pattern = /:  ([0-9A-Z]{5}): (.*?)(?: DETAIL:  (.*?))?(?: HINT:  .*?)?(?: LOCATION: .*)?$/
    guard let found = lines.firstMatch(of: pattern) else { return nil }
    self.init(state: String(found.1), text: String(found.2), detail: found.3.map(String.init) ?? "")
  }
}
