import Foundation
import SeedFormat
import SeedFront
import SeedHTTP
import SeedPublication
import SeedSystem
import SeedTrust
import Support
import Testing

/// The client as the unit of limits: an IPv4 address, or an IPv6 network of 64 bits.
@Suite struct SubscriberTests {
  private static let perClient = 3

  // MARK: nginx

  /// Two addresses of one network.
  private static let one = ["fd00:5eed:0:1::1", "fd00:5eed:0:1:ffff:1:2:3"]
  private static let other = "fd00:5eed:0:2::1"
  /// nginx's own responses to clients that may not see the page, and to clients with too many requests.
  private static let (forbidden, refused) = (403, 503)

  /// Sends a request from an IPv4 address of this machine, or from any IPv6 address.
  private func ask(_ target: String, from source: String, _ proxy: NginxProxy) throws -> RawClient {
    let client =
      try source.contains(":")
      ? RawClient(port: proxy.plainPort, host: "::1") : RawClient(port: proxy.plainPort, source: source)
    client.send("GET \(target) HTTP/1.1\r\nHost: localhost\r\nX-Real-IP: \(source)\r\n\r\n")
    return client
  }

  private func nginxSays(to source: String, _ proxy: NginxProxy) -> Int? {
    try? ask("/metrics", from: source, proxy).response().status
  }

  /// Sends requests that wait for a silent server behind nginx.
  private func wait(
    for server: SilentServer, from sources: [String], _ proxy: NginxProxy
  ) throws -> [RawClient] {
    let clients = try (0..<Self.perClient).map { number in
      let source = sources[number % sources.count]
      let client = try ask("/v1/\(sources[0])-\(number)", from: source, proxy)
      try server.take()
      return client
    }
    #expect(nginxSays(to: sources[0], proxy) == Self.refused)
    return clients
  }

  /// A socket for both protocols gets IPv4 addresses as mapped IPv6 ones, which share their first 64 bits.
  @Test func `nginx counts each IPv6 network and each IPv4 address as one client, even over an IPv6 socket`()
    throws
  {
    let silent = try SilentServer()
    let proxy = try NginxProxy(before: silent.port, perClient: Self.perClient, takesIPv6: true)
    let waiting = try wait(for: silent, from: Self.one, proxy)
    #expect(nginxSays(to: Self.one[1], proxy) == Self.refused)
    #expect(nginxSays(to: Self.other, proxy) == Self.forbidden)
    let more = try wait(for: silent, from: ["127.0.0.2"], proxy)
    #expect(nginxSays(to: "127.0.0.3", proxy) == Self.forbidden)
    withExtendedLifetime((waiting, more, silent)) {}
  }

  // MARK: The front

  /// Starts downloads and reads nothing, so that they stay open.
  private func hold(_ target: String, from source: String, _ port: UInt16) throws -> [RawClient] {
    try (0..<Self.perClient).map { _ in
      let client = try RawClient(port: port, source: source, receives: 2_048)
      client.send("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n")
      try waitUntil("it is answered") { client.hasBytes }
      return client
    }
  }

  private func status(from source: String, _ port: UInt16, _ host: String = "127.0.0.1") -> Int? {
    try? RawClient(port: port, host: host, source: source).get("/metadata/timestamp.json").status
  }

  @Test func `the front counts each IPv4 address over an IPv6 socket, and gets addresses from a proxy`()
    throws
  {
    let served = try ServedDeployment(seed: 64)
    var configuration = FrontConfiguration(publication: served.deployment.publication.path)
    configuration.http.host = "::"
    configuration.http.perAddressLimit = Self.perClient
    let front = try Front(configuration)
    let held = try hold("/\(try served.newestSnapshot().filePath)", from: "127.0.0.2", front.port)
    #expect(status(from: "127.0.0.2", front.port) == nil)
    #expect(status(from: "127.0.0.3", front.port) == 200)
    #expect(status(from: "::1", front.port, "::1") == 200)
    withExtendedLifetime(held) {}
    try expectAddresses(behindProxyOf: served)
  }

  /// The address of a client is the proxy's peer, whatever the client claims.
  private func expectAddresses(behindProxyOf served: ServedDeployment) throws {
    let told = Told()
    var configuration = FrontConfiguration(publication: served.deployment.publication.path, report: told.add)
    configuration.requests = .all
    configuration.http.trustedProxies = ["127.0.0.1"].compactMap { IPNetwork($0) }
    let front = try Front(configuration)
    let proxy = try NginxProxy(before: front.port)
    let client = try RawClient(port: proxy.plainPort, source: "127.0.0.77")
    #expect(try client.get("/v1/none", extra: "X-Forwarded-For: 6.6.6.6\r\n").status == 404)
    let record = try eventually("the request is recorded") { told.records.first }
    #expect(record.fields.first { $0.name == "address" }?.value == "127.0.0.77")
  }

  private final class Told: Sendable {
    private let state = Mutex<[LogRecord]>([])

    var records: [LogRecord] { state.withLock { $0 } }

    func add(_ record: LogRecord) { state.withLock { $0.append(record) } }
  }
}

private final class SilentServer {
  let port: UInt16
  private let descriptor: CInt
  private var taken: [CInt] = []

  init() throws {
    let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    self.descriptor = descriptor
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
    let bound = withUnsafeBytes(of: address) { bytes in
      bind(descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress!, socklen_t(bytes.count))
    }
    guard bound == 0, listen(descriptor, SOMAXCONN) == 0 else { throw NeverHappened(what: "it listens") }
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutableBytes(of: &address) { bytes in
      _ = getsockname(descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress!, &length)
    }
    port = UInt16(bigEndian: address.sin_port)
  }

  func take() throws {
    try waitUntil("a connection comes") {
      var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      return poll(&request, 1, 50) > 0
    }
    taken.append(accept(descriptor, nil, nil))
  }

  deinit { (taken + [descriptor]).forEach { close($0) } }
}
