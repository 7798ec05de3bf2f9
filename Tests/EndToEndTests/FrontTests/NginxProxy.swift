import Foundation
import Support

/// nginx with the very configuration that is documented, in front of a front, with a certificate made just now.
final class NginxProxy {
  /// The ports of its two servers; the second one speaks TLS, and plain HTTP on the third for those tests whose
  /// point is not TLS.
  let redirectPort: UInt16
  let tlsPort: UInt16
  let plainPort: UInt16
  private let folder: TemporaryFolder
  private let process = Process()

  /// How long a start may take before the test gives up; no figure of the product.
  private static let patience: TimeInterval = 60

  /// A proxy that keeps objects in slices of that size.
  init(before front: UInt16, slices: String = "4m") throws {
    folder = try TemporaryFolder()
    (redirectPort, tlsPort, plainPort) = (try Self.freePort(), try Self.freePort(), try Self.freePort())
    try Tool.run([
      "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
      "-days",
      "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout",
      folder("key.pem"), "-out", certificate,
    ])
    try configuration(front, slices).write(toFile: folder("nginx.conf"), atomically: false, encoding: .utf8)
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["nginx", "-c", folder("nginx.conf"), "-e", folder("errors"), "-g", "daemon off;"]
    process.environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try ProcessGuard.run(process)
    try eventually("nginx listens", within: Self.patience) { try? RawClient(port: plainPort) }
  }

  deinit {
    if process.isRunning { process.terminate() }
    process.waitForEnd()
  }

  /// What a client must trust to trust it.
  var certificate: String { folder("certificate.pem") }

  /// What it said of errors.
  var errors: String { (try? String(contentsOfFile: folder("errors"), encoding: .utf8)) ?? "" }

  static var file: URL {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "docker/nginx.conf")
  }

  /// The documented file with the paths and ports of this machine.
  private func configuration(_ front: UInt16, _ slices: String) throws -> String {
    var text = try String(contentsOf: Self.file, encoding: .utf8)
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
      "  \($0)_temp_path \(folder($0));\n"
    }
    for (documented, here) in [
      ("/run/nginx.pid", folder("pid")), ("/var/log/nginx/error.log", folder("errors")),
      ("/var/cache/nginx/seedbank", folder("cache")),
      ("server 127.0.0.1:8080;", "server 127.0.0.1:\(front);"),
      ("/etc/nginx/tls/certificate.pem", certificate), ("/etc/nginx/tls/key.pem", folder("key.pem")),
      ("listen 80 default_server;", "listen 127.0.0.1:\(redirectPort) default_server;"),
      ("  listen [::]:80 default_server;\n", ""), ("  listen [::]:443 ssl http2 default_server;\n", ""),
      (
        "listen 443 ssl http2 default_server;",
        "listen 127.0.0.1:\(tlsPort) ssl http2; listen 127.0.0.1:\(plainPort);"
      ),
      ("slice 4m;", "slice \(slices);"), ("http {\n", "http {\n" + temporary.joined()),
    ] {
      guard text.contains(documented) else { throw NeverHappened(what: "\(documented) in nginx.conf") }
      text = text.replacing(documented, with: here)
    }
    return text + (geteuid() == 0 ? "user root;\n" : "")
  }

  /// A port that nobody listens on, as nginx cannot choose one itself.
  private static func freePort() throws -> UInt16 {
    let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        _ = bind(descriptor, generic, length)
        _ = getsockname(descriptor, generic, &length)
      }
    }
    return UInt16(bigEndian: address.sin_port)
  }
}
