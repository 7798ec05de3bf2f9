import Foundation
import Support

/// nginx with the documented configuration before a front, with a new certificate.
final class NginxProxy {
  /// The ports of its two servers; the second one speaks TLS on `tlsPort`, and plain HTTP on `plainPort` for tests that
  /// are not about TLS.
  let redirectPort: UInt16
  let tlsPort: UInt16
  let plainPort: UInt16
  private let folder: TemporaryFolder
  private var process: Nginx?

  /// Makes a proxy that caches objects in slices of this size and limits connections per client. With `takesIPv6`, it
  /// takes plain HTTP over a socket for both protocols, and a client at `::1` names its address in `X-Real-IP`.
  convenience init(
    before front: UInt16, slices: String = "4m", perClient connections: Int = 64, takesIPv6: Bool = false
  ) throws {
    try self.init(before: [front], slices: slices, perClient: connections, takesIPv6: takesIPv6)
  }

  init(
    before fronts: [UInt16], slices: String = "4m", perClient connections: Int = 64, takesIPv6: Bool = false
  ) throws {
    folder = try TemporaryFolder()
    (redirectPort, tlsPort, plainPort) = (try freePort(), try freePort(), try freePort())
    try Tool.run([
      "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
      "-days",
      "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout",
      folder("key.pem"), "-out", certificate,
    ])
    let text = try configuration(fronts, slices, connections, takesIPv6)
    process = try Nginx(text, in: folder, listeningOn: tlsPort)
  }

  var certificate: String { folder("certificate.pem") }

  var errors: String { process?.errors ?? "" }

  /// The requests to all fronts in each second of nginx's clock, in which they ended.
  func requestsToFronts() throws -> [Substring: Int] {
    let lines = try folder.text("upstream").split(separator: "\n")
    let asked = lines.map { $0.split(separator: " ", maxSplits: 1) }.filter { $0[1] != "-" }
    return Dictionary(asked.map { ($0[0], $0[1].split(separator: ",").count) }, uniquingKeysWith: +)
  }

  func cachedFiles() throws -> [String] {
    try Tool.run(["find", folder("cache"), "-type", "f"]).split(separator: "\n").map(String.init).sorted()
  }

  /// nginx's complaints about the configuration under Debian's limit on open files; empty if it accepts everything.
  func check() throws -> String {
    try Tool.run([
      "sh", "-c", "ulimit -Sn 1024; exec /usr/sbin/nginx -t -q -c $0 -e $1 2>&1", folder("nginx.conf"),
      folder("check"),
    ])
  }

  static var file: URL {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "docker/nginx.conf")
  }

  /// Returns the documented configuration with this machine's paths and ports.
  private func configuration(
    _ fronts: [UInt16], _ slices: String, _ connections: Int, _ takesIPv6: Bool
  ) throws -> String {
    var text = try String(contentsOf: Self.file, encoding: .utf8)
    let plain = takesIPv6 ? "[::]:\(plainPort) ipv6only=off" : "127.0.0.1:\(plainPort)"
    let sender = takesIPv6 ? "  set_real_ip_from ::1;\n  real_ip_header X-Real-IP;\n" : ""
    for (documented, here) in [
      ("/run/nginx.pid", folder("pid")), ("/var/log/nginx/error.log", folder("errors")),
      ("/var/cache/nginx/seedbank", folder("cache")),
      (
        "access_log off;",
        "log_format upstream '$time_iso8601 $upstream_addr'; access_log \(folder("upstream")) upstream;"
      ),
      (
        "server 127.0.0.1:8080;",
        fronts.map { "server 127.0.0.1:\($0)\(fronts.count > 1 ? " max_fails=0" : "");" }.joined(
          separator: " ")
      ),
      ("/etc/nginx/tls/certificate.pem", certificate), ("/etc/nginx/tls/key.pem", folder("key.pem")),
      ("listen 80 default_server;", "listen 127.0.0.1:\(redirectPort) default_server;"),
      ("  listen [::]:80 default_server;\n", ""), ("  listen [::]:443 ssl http2 default_server;\n", ""),
      (
        "listen 443 ssl http2 default_server;",
        "listen 127.0.0.1:\(tlsPort) ssl http2; listen \(plain);"
      ),
      ("slice 4m;", "slice \(slices);"), ("limit_conn addresses 64;", "limit_conn addresses \(connections);"),
      ("http {\n", "http {\n" + sender + Nginx.temporaryFiles(in: folder)),
    ] {
      text = try text.adapting(documented, to: here)
    }
    return text
  }
}
