import Support
import Testing

@testable import SeedHTTP

@Suite struct ConnectionTimeoutsTests {
  let timeouts = {
    var timeouts = ConnectionTimeouts()
    (timeouts.idleSeconds, timeouts.floorBytesPerSecond) = (10, 100)
    return timeouts
  }()

  private func verdict(
    _ phase: ConnectionTimeouts.Activity.Phase, since: UInt64, _ progress: ConnectionTimeouts.Progress? = nil,
    acknowledged: UInt64 = 0, at now: UInt64
  ) -> ConnectionTimeouts.Verdict {
    timeouts.judge(.init(phase: phase, since: since), progress, acknowledged: acknowledged, at: now)
  }

  /// A header has five seconds from the connection's start, or after an idle time; a handler has no limit.
  @Test(arguments: [
    (ConnectionTimeouts.Activity.Phase.opening, 5_999, false), (.opening, 6_000, true),
    (.idle, 15_999, false), (.idle, 16_000, true), (.handling, 1_000_000_000, false),
  ])
  func `a connection without a response under way ends after its time`(
    phase: ConnectionTimeouts.Activity.Phase, now: UInt64, ends: Bool
  ) {
    #expect(verdict(phase, since: 1000, at: now) == (ends ? .end : .keep(nil)))
  }

  @Test func `a client that keeps reading is never closed`() {
    var progress: ConnectionTimeouts.Progress?
    for second in 0..<3600 as Range<UInt64> {
      let verdict = verdict(
        .sending, since: 0, progress, acknowledged: second * 100, at: second * 1000)
      guard case .keep(let next) = verdict else {
        Issue.record("ended after \(second) seconds")
        return
      }
      progress = next
    }
  }

  @Test func `a client that reads too slowly is closed at the end of the window`() {
    let progress = ConnectionTimeouts.Progress(start: 0, acknowledged: 500)
    #expect(verdict(.sending, since: 0, progress, acknowledged: 500, at: 19_999) == .keep(progress))
    #expect(verdict(.sending, since: 0, progress, acknowledged: 2_499, at: 20_000) == .end)
    let next = ConnectionTimeouts.Progress(start: 20_000, acknowledged: 2_500)
    #expect(verdict(.sending, since: 0, progress, acknowledged: 2_500, at: 20_000) == .keep(next))
    let burst = ConnectionTimeouts.Progress(start: 40_000, acknowledged: 1_000_000)
    #expect(
      verdict(.sending, since: 0, burst, acknowledged: 1_000_000, at: 60_000) == .end,
      "an old burst does not compensate for a stall")
    let earlier = ConnectionTimeouts.Progress(start: 1_000, acknowledged: 500)
    let fresh = ConnectionTimeouts.Progress(start: 90_000, acknowledged: 700)
    #expect(
      verdict(.sending, since: 50_000, earlier, acknowledged: 700, at: 90_000) == .keep(fresh),
      "measurements of an earlier response do not count")
  }

  @Test func `when connections are scarce a reader is slow only after a measurement`() {
    func isSlow(
      _ acknowledged: UInt64, at now: UInt64, since: UInt64 = 0,
      _ phase: ConnectionTimeouts.Activity.Phase = .sending
    ) -> Bool {
      timeouts.isSlow(
        .init(phase: phase, since: since), .init(start: 1_000, acknowledged: 500),
        acknowledged: acknowledged, at: now)
    }
    #expect(!isSlow(500, at: 2_999) && isSlow(500, at: 3_000))
    #expect(isSlow(500 + 32_767, at: 3_000) && !isSlow(500 + 32_768, at: 3_000))
    #expect(!isSlow(500, at: 9_000, since: 1_001), "measured at an earlier response")
    #expect(!isSlow(500, at: 9_000, .handling) && !isSlow(500, at: 9_000, .idle))
  }
}

@Suite struct ConnectionTableTests {
  /// Ended connections stay in the table until their threads close them.
  @Test func `a burst ends no more idle connections than it needs`() {
    let table = ConnectionTable(ConnectionTimeouts(), limit: 640, perAddressLimit: 640, exempt: [])
    func add(_ phase: ConnectionTimeouts.Activity.Phase) {
      let connection = ClientConnection(descriptor: -1, address: nil)
      connection.enter(phase)
      table.add(connection)
    }
    for _ in 0..<600 { add(.idle) }
    for _ in 0..<10 { add(.opening) }
    #expect(table.load.refused == [.crowd: 10])
  }

  @Test func `the memory of connections is returned after many have closed`() {
    let table = ConnectionTable(ConnectionTimeouts(), limit: 4_000, perAddressLimit: 4_000, exempt: [])
    let connections = (0..<1_500).map { _ in ClientConnection(descriptor: -1, address: nil) }
    connections.forEach(table.add)
    connections.prefix(999).forEach(table.remove)
    #expect(!table.returnMemory())
    table.remove(connections[999])
    #expect(table.returnMemory() && !table.returnMemory())
    connections.forEach(table.remove)
    #expect(!table.returnMemory(), "500 more")
  }

  @Test func `an IPv6 network of 64 bits has one share of connections`() throws {
    let table = ConnectionTable(ConnectionTimeouts(), limit: 640, perAddressLimit: 2, exempt: [])
    let addresses = try ["1::1", "1:ffff:1:2:3", "1::2", "2::1"].map {
      try #require(IPAddress("2001:db8:0:\($0)"))
    }
    let connections = addresses.prefix(2).map { ClientConnection(descriptor: -1, address: $0) }
    connections.forEach(table.add)
    #expect(!table.admits(addresses[2]) && table.admits(addresses[3]))
    table.remove(connections[0])
    #expect(table.admits(addresses[2]) && table.load.refused == [.address: 1])
  }
}

@Suite struct IPAddressTests {
  @Test(arguments: [
    ("10.0.0.0/8", "10.255.1.2", true), ("10.0.0.0/8", "11.0.0.0", false),
    ("127.0.0.1", "127.0.0.1", true), ("127.0.0.1", "127.0.0.2", false),
    ("127.0.0.1", "::ffff:127.0.0.1", true), ("0.0.0.0/0", "8.8.8.8", true), ("0.0.0.0/0", "::1", false),
    ("::/0", "::1", true), ("::/0", "8.8.8.8", true), ("fd00::/8", "fd12::1", true),
    ("fd00::/8", "fe80::1", false), ("2001:db8::1/128", "2001:db8::1", true),
    ("192.168.1.128/25", "192.168.1.127", false), ("192.168.1.128/25", "192.168.1.200", true),
  ])
  func `a network contains the addresses with its prefix`(network: String, address: String, isIn: Bool) throws
  {
    let network = try #require(IPNetwork(network))
    #expect(network.contains(try #require(IPAddress(address))) == isIn)
  }

  @Test(arguments: [
    "", "10.0.0.0/33", "10.0.0.1/8", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/+8", "::/129", "::1/64", "host",
    "10.0.0.0/8/8", "10.0.0", "1::2::3",
  ])
  func `an invalid network is rejected`(text: String) { #expect(IPNetwork(text) == nil) }

  @Test func `a subscriber is 64 bits of IPv6 or one address of IPv4`() throws {
    let subscriber = { (text: String) in try #require(IPAddress(text)).subscriber }
    #expect(try subscriber("2001:db8::1") == subscriber("2001:db8::ffff:1"))
    #expect(try subscriber("2001:db8::1") != subscriber("2001:db8:0:1::1"))
    #expect(try subscriber("10.0.0.1") != subscriber("10.0.0.2"))
    #expect(try subscriber("10.0.0.1") == subscriber("::ffff:10.0.0.1"))
  }
}
