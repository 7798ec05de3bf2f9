import SeedFormat
import SeedSystem

extension HTTPResponse {
  /// Applies the request's conditions and ranges in the order of RFC 9110, 13.2.2, but only to a 200 response.
  package func selected(for request: HTTPRequest) -> HTTPResponse {
    guard status == 200 else { return self }
    let conditions = Conditions(
      request: request.headers, tag: headers["ETag"], lastModified: headers["Last-Modified"])
    guard conditions.isUnchangedAsRequired else { return replaced(by: HTTPResponse(.preconditionFailed)) }
    guard conditions.isChangedAsRequired else { return notModified }
    // RFC 9110, 14.2: ranges apply only to GET. A stream cannot start in the middle.
    guard request.method == .get, !body.isStream, headers["Accept-Ranges"] == "bytes", conditions.allowsRange
    else { return self }
    guard let range = ByteRange.requested(request.headers, length: body.length) else { return self }
    return range.isEmpty ? unsatisfiable : part(range)
  }

  private func replaced(by other: HTTPResponse) -> HTTPResponse {
    var other = other
    other.mark = mark
    return other
  }

  private func part(_ bytes: Range<Int64>) -> HTTPResponse {
    var part = HTTPResponse(status: 206, headers: headers, body: body.part(bytes))
    part.headers.append("Content-Range", "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/\(body.length)")
    return replaced(by: part)
  }

  /// Keeps the body, because the server announces its length, as for HEAD; no other length is allowed (RFC 9110,
  /// 8.6). Removes the fields that describe a body (15.4.5).
  private var notModified: HTTPResponse {
    var kept = headers
    kept.remove(["Content-Type", "Content-Encoding", "Repr-Digest", "Accept-Ranges"])
    return replaced(by: HTTPResponse(status: 304, headers: kept, body: body))
  }

  private var unsatisfiable: HTTPResponse {
    let problem = Problem(
      .rangeNotSatisfiable, "The range begins at or after the end: the file has \(body.length) bytes.")
    var response = replaced(by: HTTPResponse(problem))
    response.headers.append(contentsOf: ["Content-Range": "bytes */\(body.length)", "Accept-Ranges": "bytes"])
    return response
  }
}

extension Problem {
  fileprivate static let preconditionFailed = Problem(
    .preconditionFailed,
    "The resource has changed since the ETag in If-Match or the date in If-Unmodified-Since.")
}

private struct Conditions {
  let request: HTTPHeaders
  let tag: String?
  let lastModified: String?

  var isUnchangedAsRequired: Bool {
    if let required = tags("If-Match") { return required == ["*"] || tag.map(required.contains) == true }
    guard let limit = date("If-Unmodified-Since"), let modified else { return true }
    return modified <= limit
  }

  var isChangedAsRequired: Bool {
    if let known = tags("If-None-Match") {
      // A weak tag matches the strong one.
      return known != ["*"] && tag.map { known.contains($0) || known.contains("W/\($0)") } != true
    }
    guard let known = date("If-Modified-Since"), let modified else { return true }
    return modified > known
  }

  /// False if If-Range is present without the exact validator (strong comparison; RFC 9110, 13.1.5).
  var allowsRange: Bool {
    let validators = request.values(of: "If-Range")
    guard let validator = validators.first else { return true }
    return validators.count == 1 && (validator == tag || validator == lastModified)
  }

  /// The entity tags in the fields, including their quotes and `W/`. `*` matches any representation. A tag with a
  /// comma, which this server never sends, is split. None of its parts equals a tag of this server.
  private func tags(_ name: String) -> [String]? {
    let values = request.values(of: name)
    guard !values.isEmpty else { return nil }
    return values.flatMap { $0.utf8.split(separator: UInt8(ascii: ",")) }
      .map { String(Substring($0.trimmed)) }
  }

  private var modified: UTCTime? { lastModified.flatMap { UTCTime(http: $0) } }

  /// The date in the field. A repeated or invalid field counts as no condition.
  private func date(_ name: String) -> UTCTime? {
    let values = request.values(of: name)
    return values.count == 1 ? UTCTime(http: values[0]) : nil
  }
}

/// A `Range` field applied to a representation (RFC 9110, 14.1.2 and 14.2).
private enum ByteRange {
  /// The range of bytes: empty if no byte is in it, nil for the whole body. A list of ranges means the whole body, as
  /// the standard allows: `multipart/byteranges`, which clients of seeds do not need, would have its own digest.
  static func requested(_ headers: HTTPHeaders, length: Int64) -> Range<Int64>? {
    let (values, unit) = (headers.values(of: "Range"), "bytes=".utf8)
    guard values.count == 1, let value = values.first?.utf8,
      value.prefix(unit.count).elementsEqual(unit, by: { $0.asciiLowercased == $1 })
    else { return nil }
    let ends = value.dropFirst(unit.count).trimmed
      .split(separator: UInt8(ascii: "-"), maxSplits: 1, omittingEmptySubsequences: false)
    guard ends.count == 2 else { return nil }
    switch (ends[0].isEmpty, ends[1].isEmpty) {
    case (true, true): return nil
    case (true, false): return position(ends[1]).map { max(0, length - $0)..<length }
    case (false, true): return position(ends[0]).map { min($0, length)..<length }
    case (false, false): return range(from: position(ends[0]), through: position(ends[1]), length: length)
    }
  }

  private static func range(from first: Int64?, through last: Int64?, length: Int64) -> Range<Int64>? {
    guard let first, let last, first <= last else { return nil }
    return min(first, length)..<min(last, length - 1) + 1
  }

  /// Parses digits; saturates, because no file is that long.
  private static func position(_ digits: Substring.UTF8View) -> Int64? {
    guard digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
    return min(Int64(Substring(digits)) ?? .max, .max - 1)
  }
}

extension HTTPBody {
  fileprivate func part(_ part: Range<Int64>) -> HTTPBody {
    switch self {
    case .empty, .stream: .empty
    case .bytes(let bytes): .bytes(Array(bytes[Int(part.lowerBound)..<Int(part.upperBound)]))
    case .file(let file, let offset, _):
      .file(file, offset: offset + part.lowerBound, length: part.upperBound - part.lowerBound)
    }
  }
}
