import Foundation
import SeedDatabase

/// A server on a free port that sends exactly the given bytes, however malformed.
package final class RawServer: Sendable {
  package let port: UInt16
  private let listener: RawListener
  private let connections = Shared<[RawConnection]>([])

  /// Calls `answer` for each request, with a thread per connection; false closes the connection.
  package init(_ answer: @escaping @Sendable (RawRequest, RawConnection) -> Bool) throws {
    listener = RawListener()
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let (descriptor, backlog) = (listener.descriptor, CInt(16))
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(descriptor, address, size) == 0 && listen(descriptor, backlog) == 0
          && getsockname(descriptor, address, &size) == 0
      }
    }
    guard isBound else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    port = UInt16(bigEndian: address.sin_port)
    Thread.detachNewThread { [listener, connections] in Self.accept(on: listener, connections, answer) }
  }

  deinit { stop() }

  /// Closes all connections and accepts no more.
  package func stop() {
    shutdown(listener.descriptor, CInt(SHUT_RDWR))
    for connection in connections.withLock({ $0 }) { connection.end() }
  }

  private static func accept(
    on listener: RawListener, _ connections: Shared<[RawConnection]>,
    _ answer: @escaping @Sendable (RawRequest, RawConnection) -> Bool
  ) {
    while case let descriptor = Foundation.accept(listener.descriptor, nil, nil), descriptor >= 0 {
      let connection = RawConnection(descriptor)
      connections.withLock { $0.append(connection) }
      Thread.detachNewThread {
        while let request = connection.request(), answer(request, connection) {}
        connection.end()
        connections.withLock { $0.removeAll { $0 === connection } }
      }
    }
  }
}

/// Closes the socket only with its last reference, because another test may get a closed descriptor's number.
private final class RawListener: Sendable {
  let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)

  deinit { close(descriptor) }
}

package struct RawRequest: Sendable {
  /// The path without its leading slash.
  package let path: String
  private let fields: [String: String]

  init?(_ head: String) {
    let lines = head.split(separator: "\r\n")
    let words = lines.first?.split(separator: " ") ?? []
    guard words.count == 3 else { return nil }
    path = String(words[1].drop { $0 == "/" })
    fields = Dictionary(
      lines.dropFirst().compactMap { line in
        let parts = line.split(separator: ":", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        return (parts[0].lowercased(), parts[1].trimmingCharacters(in: .whitespaces))
      }, uniquingKeysWith: { _, last in last })
  }

  package subscript(name: String) -> String? { fields[name.lowercased()] }

  /// The requested range, as in `bytes=5-9`.
  package var range: Range<Int>? {
    let ends = (self["Range"] ?? "").split(whereSeparator: { "=-".contains($0) }).compactMap { Int($0) }
    return ends.count == 2 ? ends[0]..<ends[1] + 1 : nil
  }
}

package final class RawConnection: Sendable {
  private let descriptor: CInt

  /// A small send buffer, so that a reset loses little data that the client has not read.
  private static let bufferBytes = CInt(16 * 1024)

  init(_ descriptor: CInt) {
    self.descriptor = descriptor
    var bytes = Self.bufferBytes
    setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &bytes, socklen_t(MemoryLayout<CInt>.size))
    // Otherwise, a body sent after its head would wait until the client acknowledges the head, usually 40 ms.
    var isOn: CInt = 1
    setsockopt(descriptor, CInt(IPPROTO_TCP), CInt(TCP_NODELAY), &isOn, socklen_t(MemoryLayout<CInt>.size))
  }

  deinit { close(descriptor) }

  /// The next request; nil after the client's last.
  func request() -> RawRequest? {
    var head: [UInt8] = []
    var byte: UInt8 = 0
    while !head.suffix(4).elementsEqual([13, 10, 13, 10]) {
      guard recv(descriptor, &byte, 1, 0) == 1 else { return nil }
      head.append(byte)
    }
    return RawRequest(String(decoding: head, as: UTF8.self))
  }

  /// Sends unmodified text; false if the client is gone.
  @discardableResult
  package func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  @discardableResult
  package func send(_ bytes: some Collection<UInt8>) -> Bool {
    let bytes = Array(bytes)
    var start = 0
    while start < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        Foundation.send(
          descriptor, buffer.baseAddress?.advanced(by: start), bytes.count - start, CInt(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      start += count
    }
    return true
  }

  /// Interval between checks for the client's disconnection.
  private static let lookMicroseconds = 5000

  /// Repeats `body` until the client disconnects.
  package func untilEnd(_ body: () -> Void) {
    var pause = timeval(tv_sec: 0, tv_usec: Self.lookMicroseconds)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &pause, socklen_t(MemoryLayout<timeval>.size))
    var byte: UInt8 = 0
    repeat { body() } while recv(descriptor, &byte, 1, 0) < 0 && [EAGAIN, EINTR].contains(errno)
  }

  /// Resets the connection, as a broken network does; unread data may be lost.
  package func reset() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Foundation.linger>.size))
    // Connecting to AF_UNSPEC resets at once and keeps the descriptor.
    var nowhere = sockaddr()
    nowhere.sa_family = sa_family_t(AF_UNSPEC)
    connect(descriptor, &nowhere, socklen_t(MemoryLayout<sockaddr>.size))
  }

  func end() { shutdown(descriptor, CInt(SHUT_RDWR)) }
}
