import Foundation

enum Loopback {
  /// A connection to `http://127.0.0.1:PORT`.
  static func connect(to server: String) throws -> Int32 {
    guard let port = server.split(separator: ":").last.flatMap({ UInt16($0) }) else {
      throw BenchmarkError.child("no port in \(server)")
    }
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let isConnected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    guard isConnected else { throw BenchmarkError.child("\(server) takes no connection") }
    return descriptor
  }
}
