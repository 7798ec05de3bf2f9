import Foundation

/// Connections that are idle after one request.
final class IdleConnections {
  static let usual = 5_000
  /// Allowed resident bytes per connection, while it is idle and after it has closed.
  static let (mostBytes, mostKeptBytes) = (8 * 1024, 1024)
  /// Allowed milliseconds of a new request.
  static let mostMilliseconds = 50.0

  private static let request = "GET /livez HTTP/1.1\r\nHost: bench\r\n\r\n"
  private let server: String
  private var descriptors: [Int32] = []

  init(count: Int, to server: String) throws {
    self.server = server
    var limit = rlimit(rlim_cur: rlim_t(4 * count), rlim_max: rlim_t(4 * count))
    _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    for _ in 0..<count { descriptors.append(try Self.open(server)) }
  }

  deinit { end() }

  func end() {
    for descriptor in descriptors { close(descriptor) }
    descriptors = []
  }

  /// Milliseconds of one exchange over a new connection.
  func probe() throws -> Double {
    let start = ContinuousClock.now
    close(try Self.open(server))
    return (ContinuousClock.now - start) / .milliseconds(1)
  }

  private static func open(_ server: String) throws -> Int32 {
    let descriptor = try Loopback.connect(to: server)
    var answer = [UInt8](repeating: 0, count: 4096)
    guard write(descriptor, request, request.utf8.count) == request.utf8.count,
      read(descriptor, &answer, answer.count) > 0
    else { throw BenchmarkError.child("the front turned a connection away") }
    return descriptor
  }
}
