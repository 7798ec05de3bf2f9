extension HTTPResponse {
  /// The answer under the request's conditions and ranges.
  ///
  /// Conditions are for what would have been sent with 200: everything else stays (RFC 9110, 13.2.1).
  package func selected(for request: HTTPRequest) -> HTTPResponse {
    guard status == 200 else { return self }
    return switch Selection(of: self, for: request) {
    case .whole: self
    case .part(let bytes): part(bytes)
    case .notModified: notModified
    case .preconditionFailed: preconditionFailed
    case .unsatisfiable: unsatisfiable
    }
  }

  private func part(_ bytes: Range<Int64>) -> HTTPResponse {
    var part = HTTPResponse(status: 206, headers: headers, body: body.part(bytes))
    part.headers.append("Content-Range", "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/\(body.length)")
    return part
  }

  /// The body stays: as with HEAD the server sends its length and nothing else of it (RFC 9110, 8.6: no other
  /// length may stand there). What describes a body goes (15.4.5).
  private var notModified: HTTPResponse {
    let kept = headers.fields.filter { field in
      !Self.describingABody.contains { field.name.equalsIgnoringCase($0) }
    }
    return HTTPResponse(status: 304, headers: HTTPHeaders(kept), body: body)
  }

  private static let describingABody = [
    "Content-Type", "Content-Encoding", "Repr-Digest", "Accept-Ranges",
  ]

  private var preconditionFailed: HTTPResponse {
    .problem(
      "precondition-failed", status: 412, title: "Precondition failed",
      detail: "what there is now is not what the request's If-Match or If-Unmodified-Since asks for")
  }

  private var unsatisfiable: HTTPResponse {
    .problem(
      "range-not-satisfiable", status: 416, title: "Range not satisfiable",
      detail: "the range begins at or after the end: there are \(body.length) bytes",
      headers: ["Content-Range": "bytes */\(body.length)", "Accept-Ranges": "bytes"])
  }
}

extension HTTPBody {
  /// These bytes of it, all of which it has.
  fileprivate func part(_ part: Range<Int64>) -> HTTPBody {
    switch self {
    case .empty, .stream: .empty
    case .bytes(let bytes): .bytes(Array(bytes[Int(part.lowerBound)..<Int(part.upperBound)]))
    case .file(let file, let offset, _):
      .file(file, offset: offset + part.lowerBound, length: part.upperBound - part.lowerBound)
    }
  }
}
