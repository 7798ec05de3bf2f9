import Foundation
package import SeedClient
import SeedFormat
import SeedSystem

package final class MemoryHost: Sendable {
  private let served = Mutex(Served())

  package struct Served: Sendable {
    /// The files, by name relative to the server's address.
    package var files: [String: [UInt8]] = [:]
    package var requests: [String] = []
    package var failure: TestFailure?
    /// Called before each file is sent; a test can delay the file here.
    package var hold: (@Sendable (_ name: String) async throws -> Void)?
    /// Called after half of a snapshot or delta was sent.
    var pause: (@Sendable () async throws -> Void)?
  }

  package init() {}

  package func withServed<Result: Sendable>(_ body: (inout Served) -> Result) -> Result {
    served.withLock { body(&$0) }
  }

  static func isObject(_ name: String) -> Bool { name.hasPrefix("targets/") }
}

extension MemoryHost: Transport {
  package func send(_ request: TransportRequest, to receiver: ResponseReceiver) async throws {
    let name = request.url.path.split(separator: "/").joined(separator: "/")
    try await withServed { $0.hold }?(name)
    let served = withServed { served in
      served.requests.append(name)
      return (content: served.files[name], failure: served.failure, pause: served.pause)
    }
    let content = served.failure.map { $0.content(served.content, of: name) } ?? served.content
    let answer = try served.failure?.answer(request) ?? FileAnswer(request, content)
    guard let pause = served.pause, Self.isObject(name) else { return try answer.send(to: receiver) }
    try await answer.send(to: receiver, pause: pause)
  }
}

package struct FileAnswer: Sendable {
  let head: ResponseHead
  let body: ArraySlice<UInt8>

  /// Bytes per piece: few enough that a snapshot takes several pieces.
  private static let pieceBytes = 1000

  init(head: ResponseHead, body: ArraySlice<UInt8>) { (self.head, self.body) = (head, body) }

  /// Creates the response to a request for `content`; 404 if it is nil.
  package init(_ request: TransportRequest, _ content: [UInt8]?) {
    guard let content else {
      self.init(head: ResponseHead(status: 404), body: [])
      return
    }
    let isPart = request.range != nil
    let part = content[(request.range ?? 0..<content.count).clamped(to: 0..<content.count)]
    guard !isPart || !part.isEmpty else {
      self.init(head: ResponseHead(status: 416), body: [])
      return
    }
    var fields = ["Content-Length": "\(part.count)"]
    if isPart { fields["Content-Range"] = "bytes \(part.startIndex)-\(part.endIndex - 1)/\(content.count)" }
    self.init(head: ResponseHead(status: isPart ? 206 : 200, fields: fields), body: part)
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
