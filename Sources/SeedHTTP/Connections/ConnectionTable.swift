import SeedSystem

import struct Synchronization.Atomic

package struct HTTPLoad: Hashable, Sendable {
  package var connections = 0
  package var answering = 0
  /// Whether the server is draining, so clients should use another server.
  package var isEnding = false
  package var refused: [ConnectionRefusal: Int] = [:]
  /// Seconds during which all connections were in use, so that new clients waited.
  package var fullSeconds = 0.0

  package init() {}
}

/// Why the server refused a connection, or ended it before or during a response, or while idle to make room.
package enum ConnectionRefusal: String, CaseIterable, Sendable {
  /// The client's address or IPv6 network had the maximum number of connections.
  case address
  /// The server was busy, and the client's address or IPv6 network had its share of connections.
  case share
  case descriptors
  case ending
  /// The server was crowded, and the connection was idle or had sent no head.
  case crowd
  case head
  /// The client sent a head or received a response too slowly. The required rate is higher when the server is busy.
  case timeout

  /// Recognizes a refusal that libmicrohttpd reports only in its log.
  init?(logged line: String) {
    if line.hasPrefix("Hit process or system resource limit") {
      self = .descriptors
    } else if line.hasPrefix("Error processing request (HTTP response code is") {
      // This line is always about a head, because a request with a body is refused before the library reads the body.
      self = .head
    } else {
      return nil
    }
  }
}

/// All open connections, and their count by address. libmicrohttpd reports a closed connection before it closes the
/// descriptor. So while this table is locked, the descriptor of a connection in it cannot belong to another file.
final class ConnectionTable: Sendable {
  private struct Entry {
    let connection: ClientConnection
    var progress: ConnectionTimeouts.Progress?
    /// Whether the connection was shut down and is about to leave the table.
    var isLeaving = false
  }

  private struct State {
    var entries: [ObjectIdentifier: Entry] = [:]
    var leaving = 0
    /// The highest number of open connections since memory was last returned.
    var most = 0
    var counts: [IPAddress: Int] = [:]
    /// How long the table was full. New clients then wait in the kernel's queue and cannot be counted.
    var fullMilliseconds: UInt64 = 0
    var checked: UInt64?
    /// Whether at least `crowd` connections are answering requests, so that few can be ended without loss.
    var isBusy = false

    var taken: Int { entries.count - leaving }

    mutating func end(_ key: ObjectIdentifier) {
      guard entries[key]?.isLeaving == false else { return }
      entries[key]?.isLeaving = true
      leaving += 1
      entries[key]?.connection.shutDown()
    }
  }

  private enum Phase: UInt8 {
    case serving
    /// Ends each connection with its next response; new connections are accepted.
    case draining
    /// Like `draining`, but new connections are refused.
    case ending
  }

  /// A lock is cheap enough even for the ten thousand refusals a second that many clients can cause.
  private let refused = Mutex<[ConnectionRefusal: Int]>([:])
  private let state = Mutex(State())
  private let phase = Atomic(Phase.serving.rawValue)
  private let timeouts: ConnectionTimeouts
  private let perAddressLimit: Int
  private let exempt: [IPNetwork]
  /// From this number of connections on, the server is crowded: a new connection ends idle ones. If none are idle,
  /// addresses that have their share are refused. The number is below the limit, so that other addresses can connect.
  private let crowd: Int
  /// How many idle connections are ended together, so that not every new connection has to search for one.
  private let batch: Int
  private let limit: Int

  /// As divisors of the limit: the connections kept free for new clients, and the idle connections ended together.
  private static let (freeShare, batchShare) = (16, 64)

  init(_ timeouts: ConnectionTimeouts, limit: Int, perAddressLimit: Int, exempt: [IPNetwork]) {
    (self.timeouts, self.perAddressLimit, self.exempt) = (timeouts, perAddressLimit, exempt)
    self.limit = limit
    crowd = max(1, limit - max(1, limit / Self.freeShare))
    batch = max(1, limit / Self.batchShare)
  }

  var load: HTTPLoad {
    var load = state.withLock { state in
      var load = HTTPLoad()
      (load.connections, load.isEnding) = (state.entries.count, isDraining)
      load.answering = state.entries.values.count { $0.connection.activity.isAnswering }
      load.fullSeconds = Double(state.fullMilliseconds) / 1000
      return load
    }
    load.refused = refused.withLock(\.self)
    return load
  }

  var isDraining: Bool { hasReached(.draining) }

  private func hasReached(_ reached: Phase) -> Bool { phase.load(ordering: .acquiring) >= reached.rawValue }

  func beginDraining() { phase.max(Phase.draining.rawValue, ordering: .acquiringAndReleasing) }

  /// Returns false if already ending. Avoids MHD_quiesce_daemon: in 0.9.75, it races with its workers and may abort.
  func beginEnding() -> Bool {
    phase.exchange(Phase.ending.rawValue, ordering: .acquiringAndReleasing) != Phase.ending.rawValue
  }

  func waitUntilQuiet(milliseconds: UInt64) {
    let deadline = monotonicMilliseconds() + milliseconds
    while case let now = monotonicMilliseconds(), now < deadline, isBusy(at: now) {
      usleep(Self.quietCheckMicroseconds)
    }
  }

  private static let quietCheckMicroseconds: UInt32 = 2_000

  private func isBusy(at now: UInt64) -> Bool {
    state.withLock { state in state.entries.values.contains { $0.connection.activity.isBusy(at: now) } }
  }

  func count(_ refusal: ConnectionRefusal, _ number: Int = 1) {
    if number > 0 { refused.withLock { $0[refusal, default: 0] += number } }
  }

  func isExempt(_ address: IPAddress) -> Bool { exempt.contains { $0.contains(address) } }

  func admits(_ address: IPAddress?) -> Bool {
    guard let refusal = refusal(of: address) else { return true }
    count(refusal)
    return false
  }

  private func refusal(of address: IPAddress?) -> ConnectionRefusal? {
    guard !hasReached(.ending) else { return .ending }
    guard let address, !isExempt(address) else { return nil }
    return state.withLock { state in
      let count = state.counts[address.subscriber, default: 0]
      guard count < perAddressLimit else { return .address }
      return state.isBusy && state.taken >= crowd && count >= share(in: state) ? .share : nil
    }
  }

  private func share(in state: borrowing State) -> Int { max(1, crowd / max(1, state.counts.count)) }

  /// The interval of ``makeRoom()``, which costs less than a microsecond while there is room.
  static let roomMilliseconds = 50

  /// Called regularly, because new connections alone cannot make room: after a burst, libmicrohttpd may be at
  /// its limit without an idle connection. It then accepts no connection that could end others later.
  func makeRoom() {
    state.withLock { state in
      let now = monotonicMilliseconds()
      if state.entries.count >= limit { state.fullMilliseconds += now - (state.checked ?? now) }
      state.checked = now
      endIdle(in: &state)
      state.isBusy =
        state.taken >= crowd && state.entries.values.count { $0.connection.activity.isAnswering } >= crowd
      if state.isBusy { endSlow(in: &state) }
    }
  }

  /// Ends slow connections of addresses above their share. Only a timer calls this: each check queries the kernel.
  private func endSlow(in state: inout State) {
    let (now, share) = (monotonicMilliseconds(), share(in: state))
    var surplus = state.counts.filter { $0.value > share }.mapValues { $0 - share }
    var needed = state.taken - crowd + batch
    for (key, entry) in state.entries where needed > 0 && !entry.isLeaving {
      guard let address = entry.connection.address, let more = surplus[address.subscriber], more > 0,
        !isExempt(address), isSlow(entry, at: now)
      else { continue }
      count(.timeout)
      state.end(key)
      (surplus[address.subscriber], needed) = (more - 1, needed - 1)
    }
  }

  private func isSlow(_ entry: Entry, at now: UInt64) -> Bool {
    timeouts.isSlow(
      entry.connection.activity, entry.progress, acknowledged: entry.connection.acknowledgedBytes, at: now)
  }

  func add(_ connection: ClientConnection) {
    state.withLock { state in
      endIdle(in: &state)
      state.entries[ObjectIdentifier(connection)] = Entry(connection: connection)
      state.most = max(state.most, state.entries.count)
      if let address = connection.address { state.counts[address.subscriber, default: 0] += 1 }
    }
  }

  /// If the server is crowded, ends the oldest idle connections, whose clients can reconnect without loss, and new ones
  /// whose first head does not arrive. Exempts proxies, which serve many clients.
  private func endIdle(in state: inout State) {
    guard state.taken >= crowd else { return }
    let now = monotonicMilliseconds()
    let idle = state.entries.compactMap { key, entry -> (key: ObjectIdentifier, since: UInt64)? in
      let activity = entry.connection.activity
      guard activity.isWaiting(at: now), !entry.isLeaving, entry.connection.address.map(isExempt) != true
      else { return nil }
      return (key, activity.since)
    }
    let ended = idle.sorted(by: { $0.since < $1.since }).prefix(state.taken - crowd + batch)
    count(.crowd, ended.count)
    for (key, _) in ended { state.end(key) }
  }

  func remove(_ connection: ClientConnection) {
    state.withLock { state in
      guard let entry = state.entries.removeValue(forKey: ObjectIdentifier(connection)) else { return }
      if entry.isLeaving { state.leaving -= 1 }
      guard let key = connection.address?.subscriber, let count = state.counts[key] else { return }
      state.counts[key] = count > 1 ? count - 1 : nil
    }
  }

  /// The interval of ``returnMemory()``.
  static let memoryMilliseconds = 10_000
  /// From this number of closed connections on (about 8 MiB), returning their memory is worth some milliseconds.
  private static let manyClosed = 1_000

  /// Gives memory of closed connections, which malloc would keep, back to the system. False if there is too little.
  @discardableResult
  func returnMemory() -> Bool {
    let isDue = state.withLock { state in
      guard state.most - state.entries.count >= Self.manyClosed else { return false }
      state.most = state.entries.count
      return true
    }
    if isDue { returnFreeMemory() }
    return isDue
  }

  func reap(at now: UInt64) {
    state.withLock { state in
      for (key, entry) in state.entries where !entry.isLeaving {
        let activity = entry.connection.activity
        // Read only while sending, because it queries the kernel.
        let acknowledged = activity.phase == .sending ? entry.connection.acknowledgedBytes : 0
        switch timeouts.judge(activity, entry.progress, acknowledged: acknowledged, at: now) {
        case .keep(let progress):
          if progress != entry.progress { state.entries[key]?.progress = progress }
        case .end:
          state.end(key)
          // An idle client already has its response, so it loses nothing if its connection is closed.
          if activity.phase != .idle { count(.timeout) }
        }
      }
    }
  }
}
