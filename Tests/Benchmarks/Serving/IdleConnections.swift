import Foundation

/// Connections that asked once and then keep still.
final class IdleConnections {
  static let usual = 5_000
  /// Bytes that the front's process may hold then.
  static let mostBytes = 150 * 1024 * 1024
  /// Milliseconds that a new request may take then.
  static let mostMilliseconds = 50.0

  private static let request = "GET /livez HTTP/1.1\r\nHost: bench\r\n\r\n"
  private let port: UInt16
  private var descriptors: [Int32] = []

  init(count: Int, to server: String) throws {
    guard let port = server.split(separator: ":").last.flatMap({ UInt16($0) }) else {
      throw BenchmarkError.child("no port in \(server)")
    }
    self.port = port
    var limit = rlimit(rlim_cur: rlim_t(4 * count), rlim_max: rlim_t(4 * count))
    _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    for _ in 0..<count { descriptors.append(try Self.open(port)) }
  }

  deinit { for descriptor in descriptors { close(descriptor) } }

  /// Milliseconds of one exchange over a new connection.
  func probe() throws -> Double {
    let start = ContinuousClock.now
    close(try Self.open(port))
    return (ContinuousClock.now - start) / .milliseconds(1)
  }

  private static func open(_ port: UInt16) throws -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let isConnected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    var answer = [UInt8](repeating: 0, count: 4096)
    guard isConnected, write(descriptor, request, request.utf8.count) == request.utf8.count,
      read(descriptor, &answer, answer.count) > 0
    else { throw BenchmarkError.child("the front turned a connection away") }
    return descriptor
  }
}
