import Foundation
import SeedHTTP
import SeedSystem
import Support
import Testing

extension SocketTests {
  /// Clients that hold a connection without progress. The tests wait for events and read no clock.
  @Suite struct Endurance {
    @Test(.full) func `an incomplete header times out at any time, and is counted if it is the first`() throws
    {
      // Even on a busy machine, complete heads must arrive earlier.
      let seconds = 5
      let server = try startServer { $0.timeouts.headSeconds = seconds }
      let other = try startServer { ($0.timeouts.headSeconds, $0.timeouts.idleSeconds) = (seconds, 0) }
      let (resting, second) = (try RawClient(port: server.port), try RawClient(port: other.port))
      for client in [resting, second] { #expect(try client.get("/").status == 200) }
      let (silent, slow) = (try RawClient(port: server.port), try RawClient(port: server.port))
      slow.send("GET / HTTP/1.1\r\nHost: a\r\nX-A: ")
      try waitUntil("both servers end the connections") {
        [slow, second].count { $0.send("a") } == 0
      }
      try waitUntil("only the resting one is left") {
        server.load().connections == 1 && other.load().connections == 0
      }
      #expect(server.load().refused == [.timeout: 2] && other.load().refused == [:])
      #expect(try RawClient(port: server.port).get("/").status == 200)
      withExtendedLifetime((resting, silent)) {}
    }

    @Test func `a response that is not read is aborted and reported`() throws {
      let told = Told()
      var configuration = HTTPServerConfiguration()
      (configuration.timeouts.floorBytesPerSecond, configuration.timeouts.floorWindowSeconds) = (1000, 1)
      configuration.observe = { told.add($0, $1) }
      let size = 20_000_000
      let server = try HTTPServer(configuration: configuration) { _ in
        HTTPResponse(status: 200, body: .bytes(Array(repeating: 1, count: size)))
      }
      let client = try RawClient(port: server.port)
      client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      try told.wait(for: 1)
      let exchange = told.exchanges.withLock { $0[0].measurement }
      #expect(!exchange.isComplete && exchange.bodyBytes == size && exchange.status == 200)
      let read = client.readToEnd().count
      #expect(read < size && exchange.sentBytes > 0 && exchange.sentBytes <= read)
    }

    /// The kernel takes no bytes from the server for longer than the idle time while the client reads the former ones.
    @Test func `a client that reads slowly but steadily is not idle`() throws {
      var configuration = HTTPServerConfiguration()
      configuration.timeouts.idleSeconds = 1
      let body = [UInt8](repeating: 1, count: 20_000_000)
      let server = try HTTPServer(configuration: configuration) { _ in
        HTTPResponse(status: 200, body: .bytes(body))
      }
      let client = try RawClient(port: server.port, receives: 2_048)
      client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      for _ in 1...40 {
        _ = client.sip(1_024)
        usleep(100_000)
      }
      #expect(server.load().connections == 1)
    }

    @Test func `a slow reader does not fill megabytes of kernel memory`() throws {
      let body = [UInt8](repeating: 1, count: 20_000_000)
      let server = try serve { _ in HTTPResponse(status: 200, body: .bytes(body)) }
      let client = try RawClient(port: server.port, receives: 2_048)
      client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      // The connection closes with the last reference to its client.
      let waiting = try withExtendedLifetime(client) { try Self.settledBytes(at: server.port) }
      let most = try Self.mostThatKernelHolds()
      #expect(0 < waiting && waiting < most / 2)
    }

    /// Bytes up to which the kernel grows a connection's buffer without a limit of ours.
    private static func mostThatKernelHolds() throws -> Int {
      let bounds = try String(contentsOfFile: "/proc/sys/net/ipv4/tcp_wmem", encoding: .utf8)
      return try #require(bounds.split(whereSeparator: \.isWhitespace).last.flatMap { Int($0) })
    }

    /// The bytes after two equal measurements, because the buffer grows until it is full.
    private static func settledBytes(at port: UInt16) throws -> Int {
      try eventually("the buffer is full") {
        let before = try waitingBytes(at: port)
        usleep(50_000)
        return try before > 0 && waitingBytes(at: port) == before ? before : nil
      }
    }

    /// Unacknowledged bytes of a port's connections.
    private static func waitingBytes(at port: UInt16) throws -> Int {
      let ending = ":" + String(format: "%04X", port)
      let established = "01"
      var bytes = 0
      // Foundation reads a file without a size only up to its first chunk.
      let table = try FileHandle(forReadingFrom: URL(filePath: "/proc/net/tcp")).readToEnd() ?? Data()
      for line in String(decoding: table, as: UTF8.self).split(separator: "\n") {
        let columns = line.split(separator: " ")
        guard columns[1].hasSuffix(ending), columns[3] == established else { continue }
        bytes += Int(columns[4].prefix { $0 != ":" }, radix: 16) ?? 0
      }
      return bytes
    }

    @Test func `an address is limited to its share of connections but a trusted proxy is not`()
      throws
    {
      let limited = try startServer { $0.perAddressLimit = 3 }
      let clients = try (0..<3).map { _ in try RawClient(port: limited.port) }
      for client in clients { #expect(try client.get("/").status == 200) }
      for _ in 0..<3 { #expect((try? RawClient(port: limited.port).get("/")) == nil) }
      try waitUntil("they are counted") { limited.load().refused == [.address: 3] }
      #expect(try clients[2].get("/").status == 200)
      let trusting = try startServer {
        ($0.perAddressLimit, $0.trustedProxies) = (3, [IPNetwork("127.0.0.0/8")!])
      }
      let many = try (0..<10).map { _ in try RawClient(port: trusting.port) }
      for client in many { #expect(try client.get("/").status == 200) }
    }

    @Test(arguments: [1, 4, 20])
    func `idle connections of many addresses do not block new clients`(addresses: Int) throws {
      let limit = 64
      let server = try startServer {
        ($0.connectionLimit, $0.perAddressLimit, $0.threads) = (limit, limit, 2)
      }
      var idle: [RawClient] = []
      for number in 0..<(limit * 5 / 4) {
        let client = try RawClient(port: server.port, source: "127.0.1.\(number % addresses + 1)")
        #expect(try client.get("/").status == 200, "connection \(number)")
        idle.append(client)
      }
      for _ in 0..<10 { #expect(try RawClient(port: server.port).get("/").status == 200) }
      // The oldest one was closed first.
      #expect(idle[0].isEndedByServer())
      #expect(try idle[idle.count - 1].get("/").status == 200)
      #expect(server.load().refused[.crowd] ?? 0 > 0)
    }

    /// More simultaneous clients than connections.
    @Test(arguments: ["GET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n"])
    func `a burst of connections without requests does not block new clients`(head: String) throws {
      let limit = 32
      let server = try startServer {
        ($0.connectionLimit, $0.perAddressLimit, $0.threads) = (limit, limit, 2)
        ($0.timeouts.headSeconds, $0.timeouts.idleSeconds) = (3600, 3600)
      }
      let crowd = try (0..<limit * 3 / 2).map { number in
        let client = try RawClient(port: server.port, source: "127.0.1.\(number % 20 + 1)")
        client.send(head)
        return client
      }
      for _ in 0..<10 { #expect(try RawClient(port: server.port).get("/").status == 200) }
      withExtendedLifetime(crowd) {}
    }

    @Test func `a request through a trusted proxy is reported with its sender's address`() throws {
      for (trusted, expected) in [("127.0.0.1", "203.0.113.9"), ("192.0.2.1", "127.0.0.1")] {
        let told = Told()
        let server = try startServer { configuration in
          configuration.trustedProxies = [IPNetwork(trusted)!]
          configuration.observe = { told.add($0, $1) }
        }
        _ = try RawClient(port: server.port).get("/", extra: "X-Forwarded-For: 203.0.113.9\r\n")
        try told.wait(for: 1)
        #expect(told.exchanges.withLock { $0[0].request.remoteAddress } == expected)
      }
    }

    @Test func `a freed connection is available to the next client`() throws {
      let server = try startServer { $0.perAddressLimit = 1 }
      for _ in 0..<20 {
        // The end of the last connection may be noticed a moment later.
        try waitUntil("the place is free") { (try? RawClient(port: server.port).get("/"))?.status == 200 }
      }
    }

    @Test func `every exchange is reported once`() throws {
      let told = Told()
      let server = try startServer { configuration in
        configuration.observe = { told.add($0, $1) }
      }
      let client = try RawClient(port: server.port)
      _ = try client.get("/one?two", extra: "User-Agent: Test/1\r\n")
      _ = try client.get("/missing", method: "HEAD")
      _ = try client.get("/..", method: "GET")
      try told.wait(for: 3)
      let exchanges = told.exchanges.withLock { $0 }
      #expect(exchanges.map(\.measurement.status) == [200, 404, 400])
      #expect(exchanges.map(\.measurement.isComplete) == [true, true, true])
      #expect(exchanges[0].request.headers["user-agent"] == "Test/1")
      #expect(exchanges[0].measurement.bodyBytes > 0 && exchanges[1].measurement.bodyBytes == 0)
      #expect(exchanges[0].request.remoteAddress == "127.0.0.1")
    }
  }

  final class Told: Sendable {
    let exchanges = Mutex<[(request: HTTPRequest, measurement: HTTPMeasurement)]>([])

    func add(_ request: HTTPRequest, _ measurement: HTTPMeasurement) {
      exchanges.withLock { $0.append((request, measurement)) }
    }

    func wait(for count: Int) throws {
      try waitUntil("\(count) exchanges are told of") { exchanges.withLock { $0.count >= count } }
    }
  }
}
