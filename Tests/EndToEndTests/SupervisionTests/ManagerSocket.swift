import Foundation
import Support

final class ManagerSocket {
  let name: String
  private let descriptor: Int32
  private var heard: [String] = []

  private static let mostBytes = 4096

  /// Binds a path, or an abstract name that begins with `@`.
  init(_ name: String) throws {
    self.name = name
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(name.utf8)
    withUnsafeMutableBytes(of: &address.sun_path) { path in
      path.copyBytes(from: bytes)
      if name.hasPrefix("@") { path[0] = 0 }
    }
    let length = socklen_t(2 + bytes.count + (name.hasPrefix("@") ? 0 : 1))
    let bound = withUnsafeBytes(of: address) { bytes in
      bytes.withMemoryRebound(to: sockaddr.self) { bind(descriptor, $0.baseAddress!, length) }
    }
    guard descriptor >= 0, bound == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
  }

  deinit { close(descriptor) }

  func lines() -> [String] {
    var buffer = [UInt8](repeating: 0, count: Self.mostBytes)
    while case let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT)), count > 0 {
      let text = String(decoding: buffer[..<count], as: UTF8.self)
      heard += text.split(separator: "\n").map(String.init)
    }
    return heard
  }

  func wait(for line: String, times: Int = 1) throws {
    try waitUntil("the manager hears \(line) \(times) times", every: 0.01) {
      lines().count { $0 == line } >= times
    }
  }
}
