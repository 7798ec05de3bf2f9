import Foundation
import SeedHTTP

/// A request to the usual publication and its response according to RFC 9110.
struct TableRequest: Sendable, CustomStringConvertible {
  indirect enum Target: Sendable {
    /// A snapshot's file: strong tag, date, ranges.
    case object
    /// `timestamp.json`: strong tag, no date, no ranges.
    case metadata
    /// Changes: strong tag, no date, no ranges.
    case changes
    /// A redirect: no validator.
    case redirect
    /// Health: 200 without a validator.
    case health
    case missing
    case path(String)
    /// A target with an unknown parameter.
    case strange(Target)
    /// A page name of this many bytes, and a query that makes the target this long.
    case long(Int), longQuery(Int)
  }

  enum Filling: Sendable {
    /// One field that makes the section count as this many bytes.
    case bytes(Int)
    /// Fields up to a total of this many.
    case fields(Int)
  }

  enum Answer: Sendable {
    /// 200 and the whole body.
    case whole
    /// 206 and these bytes; a negative bound counts from the end.
    case part(Int, Int)
    case status(Int)
  }

  let method: String
  let target: Target
  /// Lines with the placeholders `{tag}`, `{date}`, `{before}`, `{after}`, `{n}`, `{n-1}` and `{n+1}`.
  let fields: [String]
  let answer: Answer
  let filling: Filling?

  var description: String {
    let filled = filling.map { " with \($0)" } ?? ""
    return "\(method) \(target)\(filled) \(fields.joined(separator: " · ")) → \(answer)"
  }

  init(
    _ method: String, _ target: Target, _ fields: [String], _ answer: Answer, filling: Filling? = nil
  ) {
    (self.method, self.target, self.fields, self.answer) = (method, target, fields, answer)
    self.filling = filling
  }

  /// Whether the server rejects the header section before the router sees the request.
  var isTooLarge: Bool {
    if case .status(414) = answer { return true }
    if case .status(431) = answer { return true }
    return false
  }

  static func get(_ fields: String..., gives answer: Answer) -> Self { Self("GET", .object, fields, answer) }

  static func range(_ value: String, _ answer: Answer) -> Self { get("Range: \(value)", gives: answer) }

  static let all =
    ranges + manyRanges + matches + dates + orders + rangeConditions + methods + others + sizes + parameters
}

extension TableRequest {
  // RFC 9110, 14.1.2 and 14.2: a single range, its grammar and its bounds.
  static let ranges: [TableRequest] = [
    range("bytes=0-0", .part(0, 0)), range("bytes=0-9", .part(0, 9)), range("bytes=5-5", .part(5, 5)),
    range("bytes=0-", .part(0, -1)), range("bytes=1-", .part(1, -1)), range("bytes=7-", .part(7, -1)),
    range("bytes={n-1}-", .part(-1, -1)), range("bytes={n-1}-{n-1}", .part(-1, -1)),
    range("bytes=0-{n-1}", .part(0, -1)), range("bytes=0-{n}", .part(0, -1)),
    range("bytes=3-{n+1}", .part(3, -1)), range("bytes=0-999999999", .part(0, -1)),
    range("bytes=2-99999999999999999999999999", .part(2, -1)),
    range("bytes=0-9223372036854775807", .part(0, -1)), range("bytes=0-18446744073709551616", .part(0, -1)),
    range("bytes=00-09", .part(0, 9)), range("bytes=-1", .part(-1, -1)), range("bytes=-5", .part(-5, -1)),
    range("bytes=-{n}", .part(0, -1)), range("bytes=-{n+1}", .part(0, -1)),
    range("bytes=-99999999999999999999999999", .part(0, -1)), range("bytes=-0", .status(416)),
    range("bytes=-00", .status(416)), range("bytes={n}-", .status(416)),
    range("bytes={n}-{n+1}", .status(416)), range("bytes={n+1}-", .status(416)),
    range("bytes=99999999999999999999-", .status(416)),
    range("bytes=9223372036854775807-9223372036854775807", .status(416)),
    range("Bytes=0-1", .part(0, 1)), range("BYTES=0-1", .part(0, 1)), range("bytes= 0-1", .part(0, 1)),
    range("bytes=0-1 ", .part(0, 1)), range("bytes=\t0-1", .part(0, 1)), range("bytes=,0-1", .whole),
    range("bytes=0-1,", .whole), range("bytes=, ,0-1,,", .whole),
    range("bytes=1-0", .whole), range("bytes=9-3", .whole), range("bytes=", .whole),
    range("bytes", .whole), range("bytes=-", .whole), range("bytes=--1", .whole),
    range("bytes=a-b", .whole), range("bytes=0-b", .whole), range("bytes=a-1", .whole),
    range("bytes=+0-1", .whole), range("bytes=0-+1", .whole), range("bytes=0x0-0x1", .whole),
    range("bytes=0 -1", .whole), range("bytes=0- 1", .whole), range("bytes=0.0-1", .whole),
    range("bytes:0-1", .whole), range("bytes 0-1", .whole), range("bytes =0-1", .whole),
    range("items=0-1", .whole), range("none", .whole), range("0-1", .whole), range("=0-1", .whole),
    range("bytes=0-1-2", .whole), range("bytes=0_1", .whole), range("bytes=1;2", .whole),
    range("bytes=,", .whole), range("bytes=٣-٤", .whole),
  ]

  // Several ranges: the whole body if at least one is satisfiable.
  static let manyRanges: [TableRequest] = [
    range("bytes=0-0,2-2", .whole), range("bytes=0-0, -1", .whole), range("bytes=0-4,2-6", .whole),
    range("bytes=0-0,{n}-", .whole), range("bytes={n}-,0-0", .whole), range("bytes=-1,-2,-3", .whole),
    range("bytes={n}-,{n+1}-", .whole), range("bytes=-0,{n}-", .whole),
    range("bytes=0-0,a", .whole), range("bytes=0-0,3-1", .whole), range("bytes={n}-,x", .whole),
    get("Range: bytes=0-0", "Range: bytes=2-2", gives: .whole),
    get("Range: bytes={n}-", "Range: bytes={n}-", gives: .whole),
  ]

  // RFC 9110, 13.1.1 and 13.1.2: tags.
  static let matches: [TableRequest] = [
    get("If-Match: {tag}", gives: .whole), get("If-Match: *", gives: .whole),
    get("If-Match: \"other\"", gives: .status(412)), get("If-Match: W/{tag}", gives: .status(412)),
    get("If-Match: \"other\", {tag}", gives: .whole), get("If-Match: {tag},\"other\"", gives: .whole),
    get("If-Match: ,, {tag} ,", gives: .whole), get("If-Match: \"a\", \"b\"", gives: .status(412)),
    get("If-Match: \"a\"", "If-Match: {tag}", gives: .whole),
    get("If-Match: \"a\"", "If-Match: \"b\"", gives: .status(412)),
    get("If-Match: untagged", gives: .status(412)), get("If-Match: \"", gives: .status(412)),
    get("If-Match: \"\"", gives: .status(412)),
    get("If-Match: w/{tag}", gives: .status(412)), get("if-match: \"other\"", gives: .status(412)),
    get("If-None-Match: {tag}", gives: .status(304)), get("If-None-Match: W/{tag}", gives: .status(304)),
    get("If-None-Match: *", gives: .status(304)), get("If-None-Match: \"other\"", gives: .whole),
    get("If-None-Match: W/\"other\"", gives: .whole),
    get("If-None-Match: \"other\", {tag}", gives: .status(304)),
    get("If-None-Match: W/\"other\",W/{tag}", gives: .status(304)),
    get("If-None-Match: \"a,b\", {tag}", gives: .status(304)),
    get("If-None-Match: \"a\"", "If-None-Match: {tag}", gives: .status(304)),
    get("If-None-Match: \t{tag}\t", gives: .status(304)), get("If-None-Match: ,{tag},", gives: .status(304)),
    get("If-None-Match: untagged", gives: .whole), get("If-None-Match: untagged, {tag}", gives: .status(304)),
    get("If-None-Match: \"\"", gives: .whole), get("If-None-Match: \"open", gives: .whole),
    get("IF-NONE-MATCH: {tag}", gives: .status(304)), get("If-None-Match: \"*\"", gives: .whole),
  ]

  // RFC 9110, 13.1.3, 13.1.4 and 5.6.7: dates.
  static let dates: [TableRequest] = [
    get("If-Modified-Since: {date}", gives: .status(304)),
    get("If-Modified-Since: {after}", gives: .status(304)),
    get("If-Modified-Since: {before}", gives: .whole),
    get("If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT", gives: .whole),
    get("If-Modified-Since: Sunday, 06-Nov-94 08:49:37 GMT", gives: .whole),
    get("If-Modified-Since: Sun Nov  6 08:49:37 1994", gives: .whole),
    get("If-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT", gives: .status(304)),
    get("If-Modified-Since: Wednesday, 01-Jan-70 00:00:00 GMT", gives: .status(304)),
    get("If-Modified-Since: Fri Jan  1 00:00:00 2100", gives: .status(304)),
    get("If-Modified-Since: Mon, 01 Jan 2100 00:00:00 GMT", gives: .whole),
    get("If-Modified-Since: Fri, 32 Jan 2100 00:00:00 GMT", gives: .whole),
    get("If-Modified-Since: Fri, 01 Jan 2100 00:00:00 UTC", gives: .whole),
    get("If-Modified-Since: Fri, 01 Jan 2100 24:00:00 GMT", gives: .whole),
    get("If-Modified-Since: 2100-01-01T00:00:00Z", gives: .whole),
    get("If-Modified-Since: 4102444800", gives: .whole), get("If-Modified-Since: soon", gives: .whole),
    get("If-Modified-Since: {date}", "If-Modified-Since: {date}", gives: .whole),
    get("If-Unmodified-Since: {date}", gives: .whole), get("If-Unmodified-Since: {after}", gives: .whole),
    get("If-Unmodified-Since: {before}", gives: .status(412)),
    get("If-Unmodified-Since: Sun Nov  6 08:49:37 1994", gives: .status(412)),
    get("If-Unmodified-Since: yesterday", gives: .whole),
    get("If-Unmodified-Since: {before}", "If-Unmodified-Since: {before}", gives: .whole),
  ]

  // RFC 9110, 13.2.2: precedence of conditions.
  static let orders: [TableRequest] = [
    get("If-Match: {tag}", "If-Unmodified-Since: {before}", gives: .whole),
    get("If-Match: \"other\"", "If-Unmodified-Since: {after}", gives: .status(412)),
    get("If-None-Match: \"other\"", "If-Modified-Since: {after}", gives: .whole),
    get("If-None-Match: {tag}", "If-Modified-Since: {before}", gives: .status(304)),
    get("If-Match: {tag}", "If-None-Match: {tag}", gives: .status(304)),
    get("If-Match: \"other\"", "If-None-Match: {tag}", gives: .status(412)),
    get("If-Unmodified-Since: {before}", "If-None-Match: {tag}", gives: .status(412)),
    get("If-Unmodified-Since: {date}", "If-Modified-Since: {date}", gives: .status(304)),
    get("If-Match: *", "If-None-Match: *", gives: .status(304)),
    get("If-None-Match: {tag}", "Range: bytes=0-0", gives: .status(304)),
    get("If-Modified-Since: {date}", "Range: bytes=0-0", gives: .status(304)),
    get("If-Match: \"other\"", "Range: bytes={n}-", gives: .status(412)),
    get("If-Match: {tag}", "Range: bytes=0-0", gives: .part(0, 0)),
    get("If-None-Match: \"other\"", "Range: bytes=0-0", gives: .part(0, 0)),
    get("If-Unmodified-Since: {date}", "Range: bytes=4-", gives: .part(4, -1)),
    get("If-Unmodified-Since: {before}", "Range: bytes=4-", gives: .status(412)),
    get("If-None-Match: {tag}", "Range: bytes={n}-", gives: .status(304)),
  ]

  // RFC 9110, 13.1.5: a part only if the client has the rest of the same representation.
  static let rangeConditions: [TableRequest] = [
    get("If-Range: {tag}", "Range: bytes=0-0", gives: .part(0, 0)),
    get("If-Range: {tag}", "Range: bytes=5-", gives: .part(5, -1)),
    get("If-Range: {tag}", "Range: bytes=-2", gives: .part(-2, -1)),
    get("If-Range: {tag}", "Range: bytes={n}-", gives: .status(416)),
    get("If-Range: {tag}", "Range: bytes=0-0,2-2", gives: .whole), get("If-Range: {tag}", gives: .whole),
    get("If-Range: \"other\"", "Range: bytes=5-", gives: .whole),
    get("If-Range: \"other\"", "Range: bytes={n}-", gives: .whole),
    get("If-Range: W/{tag}", "Range: bytes=5-", gives: .whole),
    get("If-Range: {tag}, \"other\"", "Range: bytes=5-", gives: .whole),
    get("If-Range: *", "Range: bytes=5-", gives: .whole),
    get("If-Range: {tag}", "If-Range: {tag}", "Range: bytes=5-", gives: .whole),
    get("If-Range: {date}", "Range: bytes=5-", gives: .part(5, -1)),
    get("If-Range: {before}", "Range: bytes=5-", gives: .whole),
    get("If-Range: {after}", "Range: bytes=5-", gives: .whole),
    get("If-Range: {tag}", "If-Match: \"other\"", "Range: bytes=5-", gives: .status(412)),
    get("If-Range: {tag}", "If-None-Match: {tag}", "Range: bytes=5-", gives: .status(304)),
  ]

  // RFC 9110, 9.3: HEAD is GET without a body, and only GET has ranges.
  static let methods: [TableRequest] = [
    Self("HEAD", .object, [], .whole), Self("HEAD", .object, ["Range: bytes=0-0"], .whole),
    Self("HEAD", .object, ["Range: bytes={n}-"], .whole),
    Self("HEAD", .object, ["If-Range: {tag}", "Range: bytes=0-0"], .whole),
    Self("HEAD", .object, ["If-None-Match: {tag}"], .status(304)),
    Self("HEAD", .object, ["If-None-Match: \"other\""], .whole),
    Self("HEAD", .object, ["If-Match: \"other\""], .status(412)),
    Self("HEAD", .object, ["If-Modified-Since: {date}"], .status(304)),
    Self("HEAD", .object, ["If-Unmodified-Since: {before}"], .status(412)),
    Self("HEAD", .metadata, [], .whole), Self("HEAD", .changes, [], .whole),
    Self("HEAD", .redirect, [], .status(307)), Self("HEAD", .health, [], .whole),
    Self("HEAD", .missing, [], .status(404)), Self("OPTIONS", .object, [], .status(204)),
    Self("OPTIONS", .object, ["Range: bytes=0-0", "If-Match: \"other\""], .status(204)),
    Self(
      "OPTIONS", .missing, ["Origin: https://example.org", "Access-Control-Request-Method: GET"], .status(204)
    ),
    Self("POST", .object, [], .status(405)), Self("PUT", .object, [], .status(405)),
    Self("DELETE", .object, [], .status(405)), Self("PATCH", .changes, [], .status(405)),
    Self("TRACE", .object, [], .status(405)), Self("PROPFIND", .metadata, [], .status(405)),
    Self("get", .object, [], .status(405)), Self("GETS", .object, [], .status(405)),
    Self("PUT", .missing, ["If-None-Match: *"], .status(405)),
  ]

  // Other resources under the same rules.
  static let others: [TableRequest] = [
    Self("GET", .metadata, [], .whole), Self("GET", .metadata, ["If-None-Match: {tag}"], .status(304)),
    Self("GET", .metadata, ["If-None-Match: \"other\""], .whole),
    Self("GET", .metadata, ["If-Match: \"other\""], .status(412)),
    Self("GET", .metadata, ["If-Modified-Since: {after}"], .whole),
    Self("GET", .metadata, ["Range: bytes=0-0"], .whole), Self("GET", .changes, [], .whole),
    Self("GET", .changes, ["If-None-Match: W/{tag}"], .status(304)),
    Self("GET", .path("/v1/transit"), ["If-None-Match: \"other\", {tag}"], .status(304)),
    Self("GET", .path("/v1/transit"), ["If-None-Match: \"other\""], .whole),
    // RFC 9110, 13.1.2 and 15.4.5: a 304, because a representation exists, without headers about its body.
    Self("GET", .changes, ["If-None-Match: *"], .status(304)),
    Self("HEAD", .changes, ["If-None-Match: *"], .status(304)),
    Self("GET", .metadata, ["If-None-Match: *"], .status(304)),
    Self("GET", .health, ["If-None-Match: *"], .status(304)),
    Self("GET", .changes, ["If-Match: *"], .whole), Self("GET", .changes, ["Range: bytes=0-0"], .whole),
    Self("GET", .changes, ["If-Range: {tag}", "Range: bytes=0-0"], .whole),
    Self("GET", .redirect, [], .status(307)), Self("GET", .redirect, ["If-None-Match: *"], .status(307)),
    Self("GET", .redirect, ["If-Match: \"other\""], .status(307)),
    Self("GET", .redirect, ["Range: bytes=0-0"], .status(307)), Self("GET", .health, [], .whole),
    Self("GET", .health, ["If-Match: *"], .whole), Self("GET", .health, ["If-Match: \"a\""], .status(412)),
    Self("GET", .health, ["If-None-Match: \"a\""], .whole),
    Self("GET", .health, ["Range: bytes=0-0"], .whole),
    Self("GET", .missing, [], .status(404)), Self("GET", .missing, ["If-None-Match: *"], .status(404)),
    Self("GET", .missing, ["If-Match: \"a\""], .status(404)),
    Self("GET", .missing, ["Range: bytes=0-0"], .status(404)),
  ]
}
