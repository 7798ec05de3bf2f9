import Foundation

/// A client that sends exactly the given bytes and reads for at most ``timeoutSeconds``.
package final class RawClient {
  package struct Response {
    package let status: Int
    package let fields: [(name: String, value: String)]
    package let body: [UInt8]

    package func values(of name: String) -> [String] {
      fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }

    package subscript(name: String) -> String? { values(of: name).first }
  }

  package struct Failure: Error { package let operation: String }

  /// Seconds without a byte after which a call fails.
  package static let timeoutSeconds = 20
  private let descriptor: CInt
  private var buffer: [UInt8] = []

  /// Connects, optionally from another loopback address (`source`) and with a small receive buffer (`receives`).
  package init(
    port: UInt16, host: String = "127.0.0.1", source: String? = nil, receives bytes: CInt? = nil
  ) throws {
    let isIPv6 = host.contains(":")
    descriptor = socket(
      isIPv6 ? AF_INET6 : AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    var timeout = timeval(tv_sec: Self.timeoutSeconds, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, size)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, size)
    if let source { Self.withAddress(source, 0) { _ = bind(descriptor, $0, $1) } }
    if var bytes {
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<CInt>.size))
    }
    let isConnected = Self.withAddress(host, port) { Foundation.connect(descriptor, $0, $1) == 0 }
    guard isConnected == true else { throw Failure(operation: "connect") }
  }

  deinit { close(descriptor) }

  /// Calls `use` with a numeric address.
  @discardableResult
  private static func withAddress<Result>(
    _ host: String, _ port: UInt16, _ use: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result? {
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, "\(port)", nil, &found) == 0, let found else { return nil }
    defer { freeaddrinfo(found) }
    return use(found.pointee.ai_addr, found.pointee.ai_addrlen)
  }

  /// Sends as much as the server accepts; false if it accepted less than everything.
  @discardableResult
  package func send(_ bytes: some Sequence<UInt8>) -> Bool {
    let all = Array(bytes)
    var sent = 0
    while sent < all.count {
      // A connection closed by the server must not kill the tests.
      let count = all[sent...].withUnsafeBytes {
        Foundation.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  @discardableResult
  package func send(_ text: String) -> Bool { send(text.utf8) }

  /// Sends a request and reads the response.
  package func get(_ target: String, method: String = "GET", extra: String = "") throws -> Response {
    send("\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n\(extra)\r\n")
    return try response(hasBody: method != "HEAD")
  }

  package func response(hasBody: Bool = true) throws -> Response {
    let separator = Array("\r\n\r\n".utf8)
    while buffer.firstRange(of: separator) == nil { try more() }
    let head = buffer.firstRange(of: separator)!
    let lines = String(decoding: buffer[..<head.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
    let fields = lines.dropFirst().map { line in
      let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
      return (name: parts[0], value: parts.count > 1 ? parts[1] : "")
    }
    guard let status = Int(lines[0].split(separator: " ")[1]) else { throw Failure(operation: "status") }
    let length = fields.first { $0.name == "Content-Length" }.flatMap { Int($0.value) } ?? 0
    // In 204 and 304, the length is that of the omitted content.
    let end = head.upperBound + (hasBody && status != 204 && status != 304 ? length : 0)
    while buffer.count < end { try more() }
    defer { buffer.removeFirst(end) }
    return Response(status: status, fields: fields, body: Array(buffer[head.upperBound..<end]))
  }

  /// Received bytes after the last response.
  package var unreadBytes: Int { buffer.count }

  package func skip(_ count: Int) throws {
    var rest = count
    while rest > 0 {
      if buffer.isEmpty { try more() }
      let taken = min(rest, buffer.count)
      buffer.removeFirst(taken)
      rest -= taken
    }
  }

  package var hasBytes: Bool {
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, CInt(MSG_DONTWAIT) | CInt(MSG_PEEK)) > 0
  }

  /// Reads at most `count` available bytes; returns whether the connection is still open.
  package func sip(_ count: Int) -> Bool {
    var chunk = [UInt8](repeating: 0, count: count)
    let taken = recv(descriptor, &chunk, count, CInt(MSG_DONTWAIT))
    return taken > 0 || (taken < 0 && errno == EAGAIN)
  }

  private func more() throws {
    guard readMore() else { throw Failure(operation: "read") }
  }

  private func readMore() -> Bool {
    var chunk = [UInt8](repeating: 0, count: 1 << 18)
    errno = 0
    let count = read(descriptor, &chunk, chunk.count)
    guard count > 0 else { return false }
    buffer += chunk.prefix(count)
    return true
  }

  /// Closes the sending side and reads until the server closes or resets the connection.
  package func readToEnd() -> [UInt8] {
    shutdown(descriptor, CInt(SHUT_WR))
    while readMore() {}
    return buffer
  }

  package func isEndedByServer() -> Bool {
    while readMore() {}
    return errno != EAGAIN
  }
}
