package import SeedClient
import SeedFormat
import SeedTrust

package struct FileAnswer: Sendable {
  let head: ResponseHead
  let body: ArraySlice<UInt8>

  /// Bytes per piece, few enough that a snapshot takes several.
  private static let pieceBytes = 1000

  init(head: ResponseHead, body: ArraySlice<UInt8>) { (self.head, self.body) = (head, body) }

  /// The response to a request for `content`; 404 if it is nil.
  package init(_ request: TransportRequest, _ content: [UInt8]?) {
    guard let content else {
      self.init(head: ResponseHead(status: 404), body: [])
      return
    }
    let etag = "\"\(SHA256Digest.of(content).hex)\""
    let isSame = request.validator == nil || request.validator == etag
    guard let range = request.range, isSame else {
      self.init(head: Self.head(200, ["ETag": etag], content[...]), body: content[...])
      return
    }
    guard range.lowerBound < content.count else {
      self.init(head: ResponseHead(status: 416), body: [])
      return
    }
    let part = content[range.clamped(to: 0..<content.count)]
    let said = "bytes \(part.startIndex)-\(part.endIndex - 1)/\(content.count)"
    self.init(head: Self.head(206, ["ETag": etag, "Content-Range": said], part), body: part)
  }

  private static func head(_ status: Int, _ fields: [String: String], _ body: ArraySlice<UInt8>)
    -> ResponseHead
  {
    ResponseHead(status: status, fields: fields.merging(["Content-Length": "\(body.count)"]) { $1 })
  }

  package func send(to receiver: ResponseReceiver) throws {
    try receiver.head(head)
    for start in stride(from: body.startIndex, to: body.endIndex, by: Self.pieceBytes) {
      try receiver.body(Array(body[start..<min(start + Self.pieceBytes, body.endIndex)]))
    }
  }

  /// Sends the first half, waits for `pause`, and sends the rest.
  func send(to receiver: ResponseReceiver, pause: () async throws -> Void) async throws {
    let middle = (body.startIndex + body.endIndex) / 2
    try receiver.head(head)
    try receiver.body(Array(body[..<middle]))
    try await pause()
    try receiver.body(Array(body[middle...]))
  }
}
