import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One request, and what has come of it so far.
struct Exchange: Sendable {
  let question: Question
  let sink: ByteSink
  let end: @Sendable (Result<Answer, any Error>) -> Void
  var received = 0
  var failure: (any Error)?

  /// What is asked for: a resource from one of its bytes on.
  struct Question: Sendable {
    let url: URL
    let start: Int
    /// Bytes that the whole resource has at most.
    let limit: Int
  }

  /// What the server has.
  enum Answer: Sendable {
    case absent
    case whole
    case part(end: Int, total: Int)
  }
}

enum HTTPStatus {
  static let ok = 200
  static let partialContent = 206
  /// Object stores answer 403 for a name that they do not have.
  static let absent: Set<Int> = [403, 404, 410]
}

extension Exchange.Question {
  /// Bytes of one part. Foundation on Linux gathers what arrives faster than it is taken, without a bound
  /// (and its `suspend()` starts the transfer anew), so a part is what may pile up in memory.
  private static let partBytes = 8 * 1024 * 1024

  private var isForPart: Bool { limit > Self.partBytes }

  var request: URLRequest {
    var request = URLRequest(url: url)
    if isForPart {
      request.setValue("bytes=\(start)-\(start + Self.partBytes - 1)", forHTTPHeaderField: "Range")
    }
    return request
  }

  /// Whether a body under that status is what was asked for; a server may send the whole instead of its first
  /// part.
  func accepts(_ status: Int?) -> Bool {
    status == HTTPStatus.ok && start == 0 || status == HTTPStatus.partialContent && isForPart
  }
}

extension Exchange {
  /// Throws once more has come than the resource may have.
  func checkLimit() throws(TransportError) {
    guard received <= question.limit - question.start else {
      throw .tooLong(url: question.url.absoluteString, limit: question.limit)
    }
  }

  /// What it came to in the end.
  func answer(_ response: HTTPURLResponse?, _ error: (any Error)?) throws -> Answer {
    let url = question.url.absoluteString
    if let failure { throw failure }
    let status = response?.statusCode
    if let status, HTTPStatus.absent.contains(status) { return .absent }
    if let status, !question.accepts(status) { throw TransportError.status(url: url, status) }
    if let error { throw TransportError.unreachable(url: url, reason: error.localizedDescription) }
    guard let response else { throw TransportError.unreachable(url: url, reason: "it did not speak HTTP") }
    if status == HTTPStatus.ok { return .whole }
    guard let part = part(response.value(forHTTPHeaderField: "Content-Range") ?? "") else {
      throw TransportError.unreachable(url: url, reason: "it sent another part than the one asked for")
    }
    return part
  }

  /// Reads `bytes 0-99/1234`, which must tell of just the bytes that came.
  private func part(_ contentRange: String) -> Answer? {
    let fields = contentRange.split(whereSeparator: { " -/".contains($0) })
    guard fields.count == 4, fields[0] == "bytes", let first = Int(fields[1]), let last = Int(fields[2]),
      let total = Int(fields[3]), first == question.start, received > 0, last == first + received - 1,
      last < total
    else { return nil }
    return .part(end: last + 1, total: total)
  }
}
