import SeedFormat
import SeedSystem

/// What the system is asked to get while the app may be suspended. It outlives the process, as a text.
struct BackgroundOrder: Hashable, Sendable {
  /// The object's hash, in hexadecimal digits.
  let sha256: String
  /// The whole object's.
  let length: Int
  let url: String
  let start: Int
  let validator: String?

  /// `nil` for a request that the app sends itself.
  init?(_ request: TransportRequest) {
    guard let object = request.background else { return nil }
    (sha256, length, url) = (object.sha256.hex, object.length, request.text)
    (start, validator) = (request.range?.lowerBound ?? 0, request.validator)
  }

  /// `nil` where the text is not one of ``text``.
  init?(_ text: String?) {
    guard let text, let order = try? Self(parsing: JSONObjectReader(parsing: Array(text.utf8))) else {
      return nil
    }
    self = order
  }

  var text: String { String(decoding: JSONValue.object(members).bytes, as: UTF8.self) }

  fileprivate init(parsing fields: consuming JSONObjectReader) throws(MalformedJSON) {
    sha256 = try fields.digest("sha256").hex
    length = try fields.integer("length", from: 0)
    url = try fields.string("url")
    start = try fields.integer("start", from: 0)
    validator = try fields.stringIfPresent("validator")
  }

  fileprivate var members: [JSONMember] {
    .init(
      ("sha256", .string(sha256)), ("length", JSONValue(length)), ("url", .string(url)),
      ("start", JSONValue(start)), ("validator", validator.map(JSONValue.string)))
  }
}

/// Files that the system got, beside the parts of downloads. Each comes by one renaming, and its name says all that there is
/// to know, so that no crash and no other thread meets half of one. Whoever wants one is told it as if it came just now:
/// it is judged and hashed like any other answer.
struct ArrivalFolder: Sendable {
  let path: String

  static let suffix = ".arrived"
  private static let readBytes = 256 * 1024

  /// Takes over the file of an answer's body; false where it is not what was ordered.
  func take(_ file: String, for order: BackgroundOrder, _ head: ResponseHead) throws -> Bool {
    let bytes = try File(file, for: .reading).length()
    guard let start = order.start(of: bytes, head) else { return false }
    try Folder.create(path, mode: 0o700)
    try Folder.rename(file, to: self.file(of: order, from: start))
    return true
  }

  /// Tells the answer to this order; false where it is not here. It is told once, unless the disk failed.
  func tell(_ order: BackgroundOrder, to receiver: ResponseReceiver) throws -> Bool {
    for start in order.start == 0 ? [0] : [order.start, 0] {
      let file = file(of: order, from: start)
      guard Folder.exists(file) else { continue }
      do {
        try tell(order.head(from: start), file, to: receiver)
      } catch {
        if !(error is FileError) { try? Folder.remove(file) }
        throw error
      }
      try? Folder.remove(file)
      return true
    }
    return false
  }

  private func tell(_ head: ResponseHead, _ path: String, to receiver: ResponseReceiver) throws {
    let file = try File(path, for: .reading)
    try receiver.head(head)
    while true {
      let piece = try file.read(Self.readBytes)
      if piece.isEmpty { return }
      try receiver.body(piece)
    }
  }

  private func file(of order: BackgroundOrder, from start: Int) -> String {
    "\(path)/\(order.sha256).\(start)\(Self.suffix)"
  }
}

extension BackgroundOrder {
  /// The object's byte at which a file begins that the system brought; `nil` where it is neither the object nor its rest.
  ///
  /// The length decides, not the status: where the system went on with a download by itself, the latest answer speaks
  /// of the latest part, and the file is longer.
  func start(of bytes: Int, _ head: ResponseHead) -> Int? {
    let isBody = [Reply.Status.ok, Reply.Status.partialContent].contains(head.status)
    guard isBody, (try? head.checkBody(url)) != nil else { return nil }
    if bytes == length { return 0 }
    return bytes == length - start ? start : nil
  }

  /// The head of an answer that came in one piece.
  fileprivate func head(from start: Int) -> ResponseHead {
    let fields = ["Content-Length": "\(length - start)"]
    guard start > 0 else { return ResponseHead(status: Reply.Status.ok, fields: fields) }
    let range = ["Content-Range": "bytes \(start)-\(length - 1)/\(length)"]
    return ResponseHead(status: Reply.Status.partialContent, fields: fields.merging(range) { $1 })
  }
}
