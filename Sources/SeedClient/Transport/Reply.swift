import SeedSystem
import SeedTrust

/// Classifies a response's head for its request. Pure.
///
///  1. 200 is the whole resource. If a later part was requested, the server does not support ranges: the download
///     restarts.
///  2. 206 is the requested part, or a shorter one with the same start, of a resource with the signed length.
///  3. 416 for a later part means that the server's resource is shorter than the local part: the download restarts.
///  4. 401 means a missing, wrong or expired credential; so does 403 for a file that every publication has.
///  5. 403, 404 and 410 mean that the file does not exist (object stores answer 403 for unknown names).
///  6. Any other status is an error, with the delay from `Retry-After`; 429 and 503 mean a busy server.
///  7. A body with a Content-Encoding that was not requested, or a web page, is never the resource.
enum Reply: Hashable, Sendable {
  case bytes(Range<Int>)
  /// Skip the body and request the resource again from the first byte.
  case restart
  case absent

  static func classify(
    _ head: ResponseHead, of request: TransportRequest, length: Int?, now: UTCTime
  ) throws(TransportError) -> Reply {
    let start = request.range?.lowerBound ?? 0
    switch head.status {
    case 200:
      try head.checkBody(request)
      try head.checkLength(length, request.text)
      return .bytes(0..<(length ?? .max))
    case 206 where request.range != nil:
      try head.checkBody(request)
      return try part(head, of: request, start, length)
    case 416 where start > 0: return .restart
    case 401: throw .denied(url: request.text, head.status)
    case 403 where request.isRequired: throw .denied(url: request.text, head.status)
    case 403, 404, 410: return .absent
    case let status:
      throw .status(url: request.text, status, retryAfter: RetryAfter.read(head["Retry-After"], now: now))
    }
  }

  private static func part(
    _ head: ResponseHead, of request: TransportRequest, _ start: Int, _ length: Int?
  ) throws(TransportError) -> Reply {
    let text = head["Content-Range"] ?? "no Content-Range"
    let part = text.wholeMatch(of: /bytes ([0-9]+)-([0-9]+)\/([0-9]+)/)?.output
    guard let range = request.range, let part, let first = Int(part.1), let last = Int(part.2),
      let total = Int(part.3), first == start, first <= last, last < min(range.upperBound, total)
    else { throw .otherPart(url: request.text, found: text) }
    if let length, total != length { throw .otherLength(url: request.text, signed: length, found: total) }
    return .bytes(start..<last + 1)
  }
}

extension ResponseHead {
  fileprivate func checkBody(_ request: TransportRequest) throws(TransportError) {
    let coding = (self["Content-Encoding"] ?? "identity").lowercased()
    guard coding == "identity" || (coding == "gzip" && request.acceptsGzip) else {
      throw .coded(url: request.text, coding: coding)
    }
    guard self["Content-Type"]?.lowercased().hasPrefix("text/html") != true else {
      throw .webPage(url: request.text)
    }
  }

  fileprivate func checkLength(_ signed: Int?, _ url: String) throws(TransportError) {
    guard let signed, let text = self["Content-Length"], let found = Int(text), found != signed else {
      return
    }
    throw .otherLength(url: url, signed: signed, found: found)
  }
}

/// Parses `Retry-After`: seconds or a date. Anything else is ignored.
enum RetryAfter {
  /// The longest accepted delay, in seconds: a day.
  private static let longest = 86_400

  static func read(_ text: String?, now: UTCTime) -> Duration? {
    guard let text else { return nil }
    // Accepts only the date form that RFC 9110 (5.6.7) requires servers to send.
    let date = UTCTime(http: text, now: now).flatMap { $0.httpText == text ? $0 : nil }
    let seconds = Int(text) ?? date.map { $0.secondsSinceEpoch - now.secondsSinceEpoch }
    return seconds.map { .seconds(min(max($0, 0), longest)) }
  }
}
