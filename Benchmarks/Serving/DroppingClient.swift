import Foundation

/// A client on one thread that lets the kernel discard the received bytes. wrk copies each byte and would be slower
/// than either server.
final class DroppingClient {
  private struct Download {
    let descriptor: Int32
    var start = ContinuousClock.now
    /// Missing bytes of the body; nil before its header.
    var left: Int?
  }

  private static let mostBytesAtOnce = 1 << 20
  private static let mostHeadBytes = 16 * 1024

  private let request: String
  private var downloads: [Download] = []
  private var buffer = [UInt8](repeating: 0, count: mostBytesAtOnce)
  private var durations: [Double] = []

  init(_ server: String, _ path: String, connections: Int) throws {
    request = "GET \(path) HTTP/1.1\r\nHost: bench\r\n\r\n"
    for _ in 0..<connections { downloads.append(Download(descriptor: try Loopback.connect(to: server))) }
  }

  deinit { for download in downloads { close(download.descriptor) } }

  /// Downloads repeatedly over all connections for `seconds`.
  func run(seconds: Int) throws -> LoadResult {
    let start = ContinuousClock.now
    for index in downloads.indices { try ask(index) }
    var waiting = downloads.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
    while ContinuousClock.now - start < .seconds(seconds) {
      guard poll(&waiting, nfds_t(waiting.count), 1000) > 0 else { throw failure("sends nothing") }
      for index in waiting.indices where waiting[index].revents != 0 { try receive(index) }
    }
    let elapsed = (ContinuousClock.now - start) / .seconds(1)
    return LoadResult(milliseconds: durations, seconds: elapsed)
  }

  private func ask(_ index: Int) throws {
    downloads[index].start = .now
    downloads[index].left = nil
    guard write(downloads[index].descriptor, request, request.utf8.count) == request.utf8.count else {
      throw failure("takes no request")
    }
  }

  private func receive(_ index: Int) throws {
    guard let left = downloads[index].left else { return try readHead(index) }
    let most = min(left, Self.mostBytesAtOnce)
    let count = recv(downloads[index].descriptor, &buffer, most, Int32(MSG_TRUNC))
    guard count > 0 else { throw failure("ended a connection") }
    downloads[index].left = left - count
    if left == count {
      durations.append((ContinuousClock.now - downloads[index].start) / .milliseconds(1))
      try ask(index)
    }
  }

  private func readHead(_ index: Int) throws {
    let descriptor = downloads[index].descriptor
    let count = recv(descriptor, &buffer, Self.mostHeadBytes, Int32(MSG_PEEK))
    guard count > 0 else { throw failure("ended a connection") }
    let text = String(decoding: buffer[..<count], as: UTF8.self)
    guard let end = text.range(of: "\r\n\r\n") else { return }
    let head = text[..<end.lowerBound].lowercased()
    guard head.hasPrefix("http/1.1 200"), let field = head.range(of: "\r\ncontent-length: "),
      let length = Int(head[field.upperBound...].prefix { $0.isNumber })
    else { throw failure("answers \(head)") }
    recv(descriptor, &buffer, text[..<end.upperBound].utf8.count, 0)
    downloads[index].left = length
  }

  private func failure(_ what: String) -> BenchmarkError { .child("the server \(what)") }
}
