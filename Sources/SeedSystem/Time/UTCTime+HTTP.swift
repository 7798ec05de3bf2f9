// HTTP dates (RFC 9110, 5.6.7), in the one form that servers send.
extension UTCTime {
  /// `Sun, 06 Nov 1994 08:49:37 GMT`.
  package var httpText: String { formatted("%a, %d %b %Y %H:%M:%S GMT") }

  /// Rejects dates that do not exist or have a wrong weekday.
  package init?(http text: String) {
    let words = text.split { " ,".contains($0) }
    guard words.count == 6, let month = Self.months.firstIndex(of: words[2]) else { return nil }
    self.init("\(words[3])-\(month < 9 ? "0" : "")\(month + 1)-\(words[1])T\(words[4])Z")
    guard httpText == text else { return nil }
  }

  private static let months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(separator: " ")
}
