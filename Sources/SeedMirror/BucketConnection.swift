import CCurl
import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust

struct BucketRequest {
  enum Method: String { case get = "GET", head = "HEAD", put = "PUT", post = "POST", delete = "DELETE" }

  let method: Method
  let url: String
  var headers: [String] = []
  /// The expected length of the response; 0 if it is unknown.
  var expectedBytes = 0
  var body: (content: MirrorFile.Content, length: Int)?
  /// The file for a successful response's body; nil to keep the body in memory. A 206 response is appended.
  var sink: (path: String, present: Int)?
  /// The body's digest; by default, that of an empty body.
  var sha256 = SHA256Digest.of([]).hex
}

struct BucketAnswer {
  var status = 0
  var tag: String?
  var length: Int?
  var date: String?
  var location: String?
  var body: [UInt8] = []
}

struct BucketLimits {
  var connectSeconds = 10
  /// A small request is aborted after this short time below `leastBytesPerSecond`, because a store may hang.
  var answerSeconds = 10
  /// A large request is aborted after this time below `leastBytesPerSecond`.
  var slowSeconds = 30
  var leastBytesPerSecond = 1000
  /// The maximum time for a whole small request, because a store may keep sending just above the least rate.
  var wholeSeconds = 300
  static let smallBytes = 1 << 20
  /// Larger files are uploaded in parts.
  var wholeBytes = 1 << 30
  /// The size of a part, which is held in memory. A store accepts 10,000 parts of at least 5 MiB.
  var partBytes = 32 << 20
  /// The pause before a request is repeated. It doubles each time.
  var pauseMicroseconds: UInt32 = 200_000

  /// Returns the maximum time for a request. Includes the time that its bytes take at the least rate.
  func wholeSeconds(_ bytes: Int) -> Int { wholeSeconds + bytes / max(1, leastBytesPerSecond) }
}

/// A libcurl handle with its open connections, for one request at a time.
final class BucketConnection: Sendable {
  private final class Handle: @unchecked Sendable {
    let pointer: UnsafeMutableRawPointer?
    init() { pointer = BucketConnection.isReady ? curl_easy_init() : nil }
    deinit { if let pointer { curl_easy_cleanup(pointer) } }
  }

  private static let isReady: Bool = curl_global_init(seedbank_curl_global_all) == CURLE_OK

  private let handle: Mutex<Handle>
  private let region: String
  private let limits: BucketLimits

  init(region: String, _ limits: BucketLimits) {
    (self.region, self.limits) = (region, limits)
    handle = Mutex(Handle())
  }

  /// Sends a request, and signs it if there are credentials.
  func answer(to request: BucketRequest, as credentials: BucketCredentials?) throws -> BucketAnswer {
    try handle.withLock { handle in
      guard let pointer = handle.pointer else { throw MirrorError.away("libcurl cannot be used") }
      return try self.answer(pointer, request, credentials)
    }
  }

  private func answer(
    _ curl: UnsafeMutableRawPointer, _ request: BucketRequest, _ credentials: BucketCredentials?
  ) throws -> BucketAnswer {
    curl_easy_reset(curl)
    let exchange = try Exchange(request)
    // Drops libcurl's pointers to memory that is freed on return.
    defer { curl_easy_reset(curl) }
    let context = Unmanaged.passUnretained(exchange).toOpaque()
    setRules(curl, request)
    var lines = request.headers + ["x-amz-content-sha256: \(request.sha256)"]
    if let credentials {
      _ = seedbank_curl_text(curl, CURLOPT_AWS_SIGV4, "aws:amz:\(region):s3")
      _ = seedbank_curl_text(curl, CURLOPT_USERNAME, credentials.identity)
      _ = seedbank_curl_text(curl, CURLOPT_PASSWORD, credentials.secret)
      if let token = credentials.token { lines.append("x-amz-security-token: \(token)") }
    }
    var headers: UnsafeMutablePointer<curl_slist>?
    for line in lines { headers = curl_slist_append(headers, line) }
    defer { curl_slist_free_all(headers) }
    _ = seedbank_curl_headers(curl, headers)
    _ = seedbank_curl_text(curl, CURLOPT_URL, request.url)
    _ = seedbank_curl_answer(curl, takeBody, takeHead, context)
    Self.setMethod(curl, request, context)
    let code = withExtendedLifetime(exchange) { curl_easy_perform(curl) }
    if let failure = exchange.failure { throw failure }
    guard code == CURLE_OK || (code == CURLE_WRITE_ERROR && exchange.isOverlong) else {
      throw MirrorError.away("it does not answer: \(String(cString: curl_easy_strerror(code)))")
    }
    var status = 0
    _ = seedbank_curl_status(curl, &status)
    exchange.answer.status = status
    return exchange.answer
  }

  private func setRules(_ curl: UnsafeMutableRawPointer, _ request: BucketRequest) {
    let bytes = max(request.body?.length ?? 0, request.expectedBytes)
    let seconds = limits.wholeSeconds(bytes)
    _ = seedbank_curl_number(curl, CURLOPT_NOSIGNAL, 1)
    _ = seedbank_curl_number(curl, CURLOPT_FOLLOWLOCATION, 0)
    _ = seedbank_curl_number(curl, CURLOPT_CONNECTTIMEOUT, limits.connectSeconds)
    _ = seedbank_curl_number(curl, CURLOPT_LOW_SPEED_LIMIT, limits.leastBytesPerSecond)
    // A store may need minutes to join parts before it answers.
    let slowSeconds =
      request.method == .post
      ? seconds : bytes > BucketLimits.smallBytes ? limits.slowSeconds : limits.answerSeconds
    _ = seedbank_curl_number(curl, CURLOPT_LOW_SPEED_TIME, slowSeconds)
    _ = seedbank_curl_number(curl, CURLOPT_TIMEOUT, seconds)
    _ = seedbank_curl_number(curl, CURLOPT_UPLOAD_BUFFERSIZE, Exchange.pieceBytes)
    _ = seedbank_curl_text(curl, CURLOPT_PROTOCOLS_STR, "http,https")
    _ = seedbank_curl_text(curl, CURLOPT_USERAGENT, "seedbank")
  }

  private static func setMethod(
    _ curl: UnsafeMutableRawPointer, _ request: BucketRequest, _ context: UnsafeMutableRawPointer
  ) {
    switch request.method {
    case .get: _ = seedbank_curl_number(curl, CURLOPT_HTTPGET, 1)
    case .head: _ = seedbank_curl_number(curl, CURLOPT_NOBODY, 1)
    case .delete: _ = seedbank_curl_text(curl, CURLOPT_CUSTOMREQUEST, request.method.rawValue)
    case .put, .post:
      _ = seedbank_curl_text(curl, CURLOPT_CUSTOMREQUEST, request.method.rawValue)
      _ = seedbank_curl_upload(curl, curl_off_t(request.body?.length ?? 0), giveBody, context)
    }
  }
}

private final class Exchange {
  var answer = BucketAnswer()
  var failure: (any Error)?
  private var file: File?
  private let request: BucketRequest
  private var sink: File?
  private var sinkRoom = 0
  /// Whether the file is longer than expected. If so, the rest is not read.
  var isOverlong: Bool { sinkRoom < 0 }
  private var bodyLeft: Int
  private var rest: ArraySlice<UInt8> = []

  /// The number of bytes read from a file at a time. Larger pieces do not fit in the processor's cache and are slower.
  static let pieceBytes = 256 * 1024
  /// The maximum size of a response in memory. A list of a thousand names is far smaller.
  private static let mostBytes = 64 * 1024 * 1024

  init(_ request: BucketRequest) throws {
    self.request = request
    bodyLeft = request.body?.length ?? 0
    switch request.body?.content {
    case nil: break
    case .bytes(let bytes): rest = bytes[...]
    case .file(let path): file = try File(path, for: .reading)
    }
  }

  /// Fills the buffer; returns 0 at the end. Throws if a file ends early, because the store would wait for the rest.
  func give(_ buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    if file != nil {
      let count = try file?.read(into: buffer) ?? 0
      bodyLeft -= count
      guard count > 0 || bodyLeft <= 0 else {
        throw MirrorError.refused(
          "a local file is shorter than its signed length: 'seedbank verify' names it")
      }
      return count
    }
    let piece = rest.prefix(buffer.count)
    buffer.copyBytes(from: piece)
    rest = rest.dropFirst(piece.count)
    return piece.count
  }

  func take(_ bytes: UnsafeRawBufferPointer) throws -> Bool {
    if let (path, present) = request.sink, [200, 206].contains(answer.status) {
      if sink == nil { try openSink(path, present) }
      sinkRoom -= bytes.count
      try sink?.write(bytes)
      return !isOverlong
    }
    answer.body += bytes
    return answer.body.count <= Self.mostBytes
  }

  private func openSink(_ path: String, _ present: Int) throws {
    let isPartial = answer.status == 206
    sink = try File(path, for: isPartial ? .appending : .replacing)
    sinkRoom = request.expectedBytes - (isPartial ? present : 0)
  }

  func takeHead(_ line: String) {
    if line.hasPrefix("HTTP/") {
      answer.status = Int(line.split(separator: " ").dropFirst().first ?? "") ?? 0
    }
    guard let colon = line.firstIndex(of: ":") else { return }
    let value = line[line.index(after: colon)...].trimmed
    switch line[..<colon].lowercased() {
    case "etag": answer.tag = value
    case "date": answer.date = value
    case "content-length": answer.length = Int(value)
    case "location": answer.location = value
    default: break
    }
  }
}

/// Returns `failure` if there is no exchange or `work` throws; the exchange keeps the error.
private func with(
  _ context: UnsafeMutableRawPointer?, orReturn failure: Int, _ work: (Exchange) throws -> Int
) -> Int {
  guard let context else { return failure }
  let exchange = Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue()
  do { return try work(exchange) } catch { exchange.failure = error }
  return failure
}

// Called by C on the requesting thread.
private func giveBody(
  _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  with(context, orReturn: Int(CURL_READFUNC_ABORT)) {
    try $0.give(UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
  }
}

private func takeBody(
  _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  let bytes = UnsafeRawBufferPointer(start: buffer, count: size * count)
  return with(context, orReturn: 0) { try $0.take(bytes) ? bytes.count : 0 }
}

private func takeHead(
  _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  let bytes = UnsafeRawBufferPointer(start: buffer, count: size * count)
  return with(context, orReturn: bytes.count) {
    $0.takeHead(String(decoding: bytes, as: UTF8.self))
    return bytes.count
  }
}
