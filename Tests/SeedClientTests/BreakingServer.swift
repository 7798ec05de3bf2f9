import SeedDatabase
import SeedFormat
import SeedTrust
import Support

/// A static server of one file whose connections break once at each given offset.
final class BreakingServer: Sendable {
  let content: [UInt8]
  private let server: RawServer
  private let state: Shared<State>

  private struct State {
    var offsets: [Int]
    var starts: [Int] = []
  }

  private static let pieceBytes = 8 * 1024

  /// - Parameters:
  ///   - content: The file.
  ///   - offsets: Offsets at which connections break, in order.
  ///   - sendsParts: Whether it honours range requests.
  init(_ content: [UInt8], breakingAt offsets: [Int], sendingParts sendsParts: Bool = true) throws {
    let state = Shared(State(offsets: offsets))
    let etag = "\"\(SHA256Digest.of(content).hex)\""
    (self.content, self.state) = (content, state)
    server = try RawServer { request, connection in
      let asked = sendsParts ? request.range : nil
      let range = (asked ?? 0..<content.count).clamped(to: 0..<content.count)
      state.withLock { $0.starts.append(range.lowerBound) }
      let said =
        asked == nil
        ? "200 OK"
        : "206 Partial\r\nContent-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(content.count)"
      connection.send("HTTP/1.1 \(said)\r\nETag: \(etag)\r\nContent-Length: \(range.count)\r\n\r\n")
      return Self.send(content, range, connection, state)
    }
  }

  var port: UInt16 { server.port }
  /// The offset at which each request starts.
  var starts: [Int] { state.withLock { $0.starts } }

  private static func send(
    _ content: [UInt8], _ range: Range<Int>, _ connection: RawConnection, _ state: Shared<State>
  ) -> Bool {
    let end = state.withLock { state in
      let offset = state.offsets.first { range.contains($0) }
      state.offsets.removeAll { $0 == offset }
      return offset
    }
    for start in stride(from: range.lowerBound, to: end ?? range.upperBound, by: pieceBytes) {
      let piece = content[start..<min(start + pieceBytes, end ?? range.upperBound)]
      guard connection.send(piece) else { return false }
    }
    if end != nil { connection.reset() }
    return end == nil
  }
}
