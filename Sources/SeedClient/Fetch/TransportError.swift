/// Why a resource did not arrive.
package enum TransportError: Error, Hashable, Sendable {
  /// There was no connection, or it broke.
  case unreachable(url: String, reason: String)
  /// The networks that there are may not be used for this.
  case waiting(url: String)
  /// The server answered with a status that brings nothing.
  case status(url: String, Int, retryAfter: Duration? = nil)
  /// The server does not have the resource.
  case absent(url: String)
  /// More came than the resource may have.
  case tooLong(url: String, limit: Int)
  /// The server says that the resource has another length than was signed.
  case otherLength(url: String, signed: Int, found: Int)
  /// Another part came than the one that was asked for.
  case otherPart(url: String, found: String)
  /// The resource changed between two parts, again and again.
  case changing(url: String)
  /// The server cannot send parts, and the connection broke before the whole was there, again and again.
  case partless(url: String)
  /// The bytes came in a coding that was not asked for.
  case coded(url: String, coding: String)
  /// A web page came.
  case webPage(url: String)
  /// Too few bytes came in a while.
  case tooSlow(url: String, bytes: Int, in: Duration)
  /// It was not there in the time that it has.
  case tooLate(url: String, after: Duration)
}

extension TransportError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unreachable(let url, let reason): "cannot get \(url): \(reason)"
    case .waiting(let url):
      "\(url) waits for another network: the policy forbids the one that there is"
    case .status(let url, let status, _) where (300..<400).contains(status):
      "the server answered \(url) with a redirect (\(status)) that is not followed: it leads to another server, "
        + "or nowhere"
    case .status(let url, let status, let wait):
      "the server answered \(url) with status \(status)" + (wait.map { ", try again in \($0)" } ?? "")
    case .absent(let url): "the server does not have \(url), which its metadata promises"
    case .tooLong(let url, let limit):
      "the server sends more for \(url) than the \(limit) bytes that it may have"
    case .otherLength(let url, let signed, let found):
      "the server says that \(url) has \(found) bytes, \(signed) were signed"
    case .otherPart(let url, let found):
      "the server sent another part of \(url) than the one asked for: \(found)"
    case .changing(let url): "\(url) changes on the server while it is downloaded"
    case .partless(let url):
      "the connection breaks before all of \(url) is here, and the server sends it from the start each time: it must "
        + "answer range requests"
    case .coded(let url, let coding):
      "\(url) came coded as \(coding), which was not asked for: the server or a proxy must leave it as it is"
    case .webPage(let url):
      "a web page came in the place of \(url): perhaps this network wants you to sign in first"
    case .tooSlow(let url, let bytes, let time): "only \(bytes) bytes of \(url) came in \(time)"
    case .tooLate(let url, let time): "\(url) was not there after \(time)"
    }
  }
}
