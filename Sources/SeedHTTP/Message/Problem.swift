extension HTTPResponse {
  /// An `application/problem+json` answer (RFC 9457) with the given stable `type`.
  package static func problem(
    _ type: String, status: Int, title: String, detail: String, headers: HTTPHeaders = [:]
  ) -> HTTPResponse {
    let json = """
      {"type":\(quoted(type)),"title":\(quoted(title)),"status":\(status),"detail":\(quoted(detail))}
      """
    var all = headers
    all.set("Content-Type", to: "application/problem+json")
    all.set("Cache-Control", to: "no-store")
    return HTTPResponse(status: status, headers: all, body: .bytes(Array(json.utf8)))
  }

  /// The text as a JSON string.
  private static func quoted(_ text: String) -> String {
    var json = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": json += "\\\(scalar)"
      case "\0"..<" ": json += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
      default: json.unicodeScalars.append(scalar)
      }
    }
    return json + "\""
  }
}
