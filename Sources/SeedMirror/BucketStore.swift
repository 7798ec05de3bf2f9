package import SeedFormat
package import SeedPublication
import SeedSystem
import SeedTrust

package struct BucketStore: MirrorStore {
  let address: BucketAddress
  let limits: BucketLimits
  private let connection: BucketConnection
  /// Whether the program is shutting down. If so, an upload in parts is aborted, so that no parts remain.
  let isOver: @Sendable () -> Bool
  private let credentials: @Sendable () throws -> BucketCredentials

  /// Calls `credentials` before each request, because a credentials file may be replaced while the program runs.
  package init(
    _ address: BucketAddress, isOver: @escaping @Sendable () -> Bool = { false },
    credentials: @escaping @Sendable () throws -> BucketCredentials
  ) { self.init(address, limits: BucketLimits(), isOver: isOver, credentials: credentials) }

  init(
    _ address: BucketAddress, limits: BucketLimits, isOver: @escaping @Sendable () -> Bool,
    credentials: @escaping @Sendable () throws -> BucketCredentials
  ) {
    (self.address, self.limits, self.isOver, self.credentials) = (address, limits, isOver, credentials)
    connection = BucketConnection(region: address.region, limits)
  }

  package var place: String { address.text }

  package func list() throws -> [String: Int] {
    var found: [String: Int] = [:]
    for folder in ["metadata/", "targets/"] {
      var page: String?
      var pages: Set<String> = []
      repeat {
        let answer = try ask(BucketRequest(method: .get, url: address.listURL(folder, after: page)))
        try check(answer)
        let list = BucketList(answer.text)
        for file in list.files where file.name.hasPrefix(address.prefix) {
          found[String(file.name.dropFirst(address.prefix.count))] = file.length
        }
        page = list.next
        guard !list.isCut || page.map({ pages.insert($0).inserted }) == true else {
          throw MirrorError.refused("its file list is incomplete: use another store")
        }
      } while page != nil
    }
    return found
  }

  package func read(_ path: String) throws -> StoredFile? {
    let answer = try ask(BucketRequest(method: .get, url: address.url(of: path)))
    if answer.isMissingFile { return nil }
    try check(answer)
    return StoredFile(answer.body, tag: answer.tag ?? "")
  }

  package func download(_ path: String, bytes: Int, to sink: String) throws -> SHA256Digest? {
    var request = BucketRequest(method: .get, url: address.url(of: path))
    // Opening also creates the file, which an empty response would not do.
    let present = try File(sink, for: .appending).length()
    (request.sink, request.expectedBytes) = ((sink, present), bytes)
    if present > 0, present < bytes { request.headers = ["Range: bytes=\(present)-"] }
    let answer = try ask(request)
    if answer.isMissingFile { return nil }
    // Status 416: the file in the bucket is not longer than the local part. If it is shorter, the digest differs.
    if answer.status != 416 { try check(answer) }
    return try SHA256Digest.ofFile(at: sink).digest
  }

  /// Also returns nil if the bucket is missing, because a HEAD response has no body that would show the reason.
  package func length(_ path: String) throws -> Int? {
    let answer = try ask(BucketRequest(method: .head, url: address.url(of: path)))
    if answer.status == 404 { return nil }
    try check(answer)
    return answer.length
  }

  package func put(_ file: MirrorFile, _ condition: PutCondition) throws -> PutReply {
    // libcurl omits a header without a value, so the file would be put without a condition.
    if condition == .tag("") { throw MirrorError.ignoresConditions("it sends no ETag") }
    var request = BucketRequest(method: .put, url: address.url(of: file.path))
    request.headers = condition.headers + file.headers
    request.body = (file.content, file.length)
    request.sha256 = file.sha256.hex
    do {
      if case .file(let path) = file.content, file.length > limits.wholeBytes {
        return try putInParts(file, from: path, condition)
      }
      return try reply(to: ask(request), condition)
    } catch MirrorError.away(let text) where !isOver() { return .outcomeUnknown(text) }
  }

  func reply(to answer: BucketAnswer, _ condition: PutCondition) throws -> PutReply {
    switch answer.status {
    case 200...299: return .done(tag: answer.tag ?? "")
    case 412: return .unmet
    case 409: return .disputed
    case 404 where answer.isMissingFile: return .absent
    case 501 where condition != .none: throw MirrorError.ignoresConditions(answer.words)
    case _ where answer.isPassing: return .outcomeUnknown(answer.words)
    default: throw refusal(answer)
    }
  }

  package func remove(_ path: String) throws {
    let answer = try ask(BucketRequest(method: .delete, url: address.url(of: path)))
    if !answer.isMissingFile { try check(answer) }
  }

  package func isPublic(_ path: String) throws -> Bool? {
    try connection.answer(to: BucketRequest(method: .get, url: address.url(of: path)), as: nil).status == 200
  }

  private static let (repeats, uploadRepeats) = (2, 7)

  /// Sends a request, and repeats it after a temporary failure. Requests of an upload in parts are repeated for about
  /// half a minute, so that an outage does not cost the whole upload. Others are repeated twice, and only after a
  /// response, because a store that hangs must be detected soon. Only `MirrorPush` repeats the PUT of a whole file.
  func ask(_ request: BucketRequest, isOfUpload: Bool = false) throws -> BucketAnswer {
    var repeats = isOfUpload ? Self.uploadRepeats : request.method == .put ? 0 : Self.repeats
    var pause = limits.pauseMicroseconds
    // After this time, a request without a response is not repeated, because each attempt may take long.
    let end = ContinuousClock.now + .seconds(2 * limits.slowSeconds)
    while true {
      do {
        var answer = try connection.answer(to: request, as: credentials())
        // A store can report an error in the body of a response with status 200.
        if isOfUpload, answer.status == 200, answer.code != nil { answer.status = 500 }
        if !answer.isPassing || repeats == 0 { return answer }
      } catch MirrorError.away where isOfUpload && repeats > 0 && ContinuousClock.now < end {}
      usleep(pause)
      (repeats, pause) = (repeats - 1, pause * 2)
    }
  }

  func check(_ answer: BucketAnswer) throws {
    switch answer.status {
    case 200...299: return
    case _ where answer.isPassing: throw MirrorError.away(answer.words)
    default: throw refusal(answer)
    }
  }

  private func refusal(_ answer: BucketAnswer) -> MirrorError {
    .refused("\(answer.words): \(advice(answer))")
  }

  static let mismatch = "the sent bytes do not match the signed hash: 'seedbank verify' checks the files here"

  private func tooLarge(_ answer: BucketAnswer) -> String {
    let limit = BucketList.text("MaxSizeAllowed", in: answer.text).flatMap { Int($0) }
    return "raise its limit for one PUT\(limit.map { ", \(ByteCount(bytes: $0))," } ?? "") to "
      + "\(ByteCount(bytes: limits.wholeBytes)); larger files are sent in parts"
  }

  private func advice(_ answer: BucketAnswer) -> String {
    switch answer.code {
    case "NoSuchBucket": "create the bucket, or correct its name"
    case "SignatureDoesNotMatch", "InvalidAccessKeyId", "InvalidToken", "ExpiredToken":
      "the store rejected the credentials; check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or, if they are not set or the "
        + "mirror has a profile, the credentials file"
    case "AuthorizationHeaderMalformed": "the region is not \(address.region); the store's console shows it"
    case "RequestTimeTooSkewed":
      "the clocks differ: this one is at \(UTCTime.now()), the store's at \(answer.date ?? "another time")"
    case "XAmzContentSHA256Mismatch", "BadDigest": Self.mismatch
    case "QuotaExceeded": "free some space there, or allow more"
    case "EntityTooLarge": tooLarge(answer)
    default:
      switch answer.status {
      case 413: tooLarge(answer)
      case 507: "free some space there, or allow more"
      case 300..<400:
        "it redirects\(answer.location.map { " to \($0.printablePart)" } ?? ""); use that address or its region"
      case 401, 403:
        "the credentials do not allow this; they must permit listing the bucket, and reading, writing and deleting files"
      default: "check the address, the style and the region"
      }
    }
  }
}

extension BucketAnswer {
  var text: String { String(decoding: body, as: UTF8.self) }

  var code: String? { BucketList.code(in: text) }

  var words: String { "it answers \(status)\(code.map { " \($0)" } ?? "")" }

  var isMissingFile: Bool { status == 404 && code != "NoSuchBucket" }

  /// Whether the same request may succeed later. Some stores answer 400 if an upload stalls.
  var isPassing: Bool {
    [408, 429, 500].contains(status) || ((502...599).contains(status) && status != 507)
      || (status == 400 && code == "RequestTimeout")
  }
}

extension String {
  /// The printable part of a host's response, without characters that could forge a log line.
  fileprivate var printablePart: String {
    String(
      prefix { $0 != "?" }.filter { $0.isASCII && !$0.isWhitespace && $0 != "\"" }.prefix(Self.longestPart))
  }

  private static let longestPart = 200
}

extension PutCondition {
  var headers: [String] {
    switch self {
    case .absent: ["If-None-Match: *"]
    case .tag(let tag): ["If-Match: \(tag)"]
    case .none: []
    }
  }
}

extension MirrorFile {
  /// Cache headers for each kind of file; see the article on static hosts.
  var headers: [String] {
    if path.hasPrefix("targets/") {
      return ["Cache-Control: max-age=31536000, immutable", "Content-Type: application/octet-stream"]
    }
    let age = path.hasSuffix("/timestamp.json") ? "max-age=1, stale-while-revalidate=5" : "max-age=3600"
    return ["Cache-Control: \(age)", "Content-Type: application/json"]
  }
}

/// The parts of a bucket's XML that are used: the names and lengths in a list, and the code of an error. Skips names
/// with escaped characters, which Seedbank never writes.
struct BucketList {
  let files: [(name: String, length: Int)]
  let isCut: Bool
  /// The token of the next page; nil at the end.
  let next: String?

  init(_ xml: String) {
    files = Self.texts("Contents", in: xml).compactMap { entry in
      guard let name = Self.text("Key", in: entry), !name.contains("&"),
        let length = Self.text("Size", in: entry).flatMap({ Int($0) })
      else { return nil }
      return (String(name), length)
    }
    isCut = Self.text("IsTruncated", in: xml) == "true"
    next = isCut ? Self.text("NextContinuationToken", in: xml).map(String.init) : nil
  }

  static func code(in xml: String) -> String? {
    guard let code = text("Code", in: xml), code.count < longestCode,
      code.allSatisfy({ $0.isLetter || $0.isNumber })
    else { return nil }
    return String(code)
  }

  private static let longestCode = 100

  static func text(_ name: String, in xml: some StringProtocol) -> Substring? { texts(name, in: xml).first }

  private static func texts(_ name: String, in xml: some StringProtocol) -> [Substring] {
    var (rest, found) = (Substring(xml), [Substring]())
    while let start = rest.firstRange(of: "<\(name)>"),
      let end = rest[start.upperBound...].firstRange(of: "</\(name)>")
    {
      found.append(rest[start.upperBound..<end.lowerBound])
      rest = rest[end.upperBound...]
    }
    return found
  }
}
