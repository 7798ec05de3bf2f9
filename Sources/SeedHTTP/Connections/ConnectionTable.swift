import SeedSystem

import struct Synchronization.Atomic

/// A server's load at one moment.
package struct HTTPLoad: Hashable, Sendable {
  /// Open connections.
  package var connections = 0
  /// Requests that wait for a response, or for the rest of one.
  package var answering = 0
  /// Set when the server drains: clients should ask another one.
  package var isEnding = false
  /// Connections that were refused since the server began, by reason.
  package var refused: [ConnectionRefusal: Int] = [:]
  /// Seconds since the server began in which all places were taken: who came then waited for one, unheard.
  package var fullSeconds = 0.0

  package init(connections: Int = 0, answering: Int = 0, isEnding: Bool = false) {
    (self.connections, self.answering, self.isEnding) = (connections, answering, isEnding)
  }
}

/// All open connections, and their count by address. libmicrohttpd reports a connection as closed before it closes
/// the descriptor: under this table's lock its number cannot have been given to another file.
final class ConnectionTable: Sendable {
  private struct Entry {
    let connection: ClientConnection
    var progress: ConnectionTimeouts.Progress?
    /// It was ended to make room, and leaves the table in a moment.
    var isLeaving = false
  }

  private struct State {
    var entries: [ObjectIdentifier: Entry] = [:]
    var leaving = 0
    var counts: [IPAddress: Int] = [:]
    var fullTime = FullTime()
    /// Whether places are short, and none is at rest that could be made free.
    var isBusy = false

    /// Places that do not become free in a moment.
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
    /// Each connection ends with its next response; new ones are accepted.
    case draining
    /// The same, and new connections are refused.
    case ending
  }

  let refusals = ConnectionRefusals()
  private let state = Mutex(State())
  private let phase = Atomic(Phase.serving.rawValue)
  private let timeouts: ConnectionTimeouts
  private let perAddressLimit: Int
  private let exempt: [IPNetwork]
  /// From so many connections on, places are short: each new one ends idle ones; where none is idle, who has its share of the
  /// places gets no more.
  /// There is room above, or nobody new would be let in.
  private let crowd: Int
  /// Idle connections that end at once, so that not each new connection has to look for one.
  private let batch: Int
  private let limit: Int

  /// Of the places, the share that is kept free for new connections, and the share that is made free at once.
  private static let (freeShare, batchShare) = (16, 64)

  init(_ timeouts: ConnectionTimeouts, limit: Int, perAddressLimit: Int, exempt: [IPNetwork]) {
    (self.timeouts, self.perAddressLimit, self.exempt) = (timeouts, perAddressLimit, exempt)
    self.limit = limit
    crowd = max(1, limit - max(1, limit / Self.freeShare))
    batch = max(1, limit / Self.batchShare)
  }

  var load: HTTPLoad {
    var load = state.withLock { state in
      var load = HTTPLoad(
        connections: state.entries.count,
        answering: state.entries.values.count { $0.connection.activity.isAnswering }, isEnding: isDraining)
      load.fullSeconds = state.fullTime.seconds(at: monotonicMilliseconds())
      return load
    }
    load.refused = refusals.all
    return load
  }

  var isDraining: Bool { hasReached(.draining) }

  private func hasReached(_ reached: Phase) -> Bool { phase.load(ordering: .acquiring) >= reached.rawValue }

  func beginDraining() { phase.max(Phase.draining.rawValue, ordering: .acquiringAndReleasing) }

  /// False if that was so already. Not MHD_quiesce_daemon: in 0.9.75 it races with its workers, and the loser aborts.
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

  func isExempt(_ address: IPAddress) -> Bool { exempt.contains { $0.contains(address) } }

  func admits(_ address: IPAddress?) -> Bool {
    guard let refusal = refusal(of: address) else { return true }
    refusals.count(refusal)
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

  /// How many places an address may have while they are short.
  private func share(in state: borrowing State) -> Int { max(1, crowd / max(1, state.counts.count)) }

  /// For connections that came all at once: none was idle while they were added, and libmicrohttpd adds none beyond its
  /// limit, whoever waits for a place.
  func makeRoom() {
    state.withLock { state in
      if state.entries.count >= crowd { endIdle(in: &state) }
      state.isBusy =
        state.taken >= crowd && state.entries.values.count { $0.connection.activity.isAnswering } >= crowd
      if state.isBusy { endSlow(in: &state) }
    }
  }

  /// Readers that take little make room, where their address has more than its share. The kernel is asked for each of them:
  /// too much work for each connection that comes.
  private func endSlow(in state: inout State) {
    let (now, share) = (monotonicMilliseconds(), share(in: state))
    var surplus = state.counts.filter { $0.value > share }.mapValues { $0 - share }
    var needed = state.taken - crowd + batch
    for (key, entry) in state.entries where needed > 0 && !entry.isLeaving {
      guard let address = entry.connection.address, let more = surplus[address.subscriber], more > 0,
        !isExempt(address), isSlow(entry, at: now)
      else { continue }
      refusals.count(.timeout)
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
      if state.entries.count >= crowd { endIdle(in: &state) }
      state.entries[ObjectIdentifier(connection)] = Entry(connection: connection)
      if let address = connection.address { state.counts[address.subscriber, default: 0] += 1 }
      if state.entries.count >= limit { state.fullTime.begin(at: monotonicMilliseconds()) }
    }
  }

  /// The oldest idle connections make room: their clients lose nothing, and come again where they want more. So do those
  /// whose first head does not come. A proxy's are let be: behind them is a crowd.
  private func endIdle(in state: inout State) {
    let now = monotonicMilliseconds()
    let idle = state.entries.compactMap { key, entry -> (key: ObjectIdentifier, since: UInt64)? in
      let activity = entry.connection.activity
      guard activity.isWaiting(at: now), !entry.isLeaving, entry.connection.address.map(isExempt) != true
      else {
        return nil
      }
      return (key, activity.since)
    }
    let ended = idle.sorted(by: { $0.since < $1.since }).prefix(state.entries.count - crowd + batch)
    refusals.count(.crowd, ended.count)
    for (key, _) in ended { state.end(key) }
  }

  func remove(_ connection: ClientConnection) {
    state.withLock { state in
      guard let entry = state.entries.removeValue(forKey: ObjectIdentifier(connection)) else { return }
      if entry.isLeaving { state.leaving -= 1 }
      if state.entries.count < limit { state.fullTime.end(at: monotonicMilliseconds()) }
      guard let key = connection.address?.subscriber, let count = state.counts[key] else { return }
      state.counts[key] = count > 1 ? count - 1 : nil
    }
  }

  @discardableResult
  func reap(at now: UInt64) -> Int {
    state.withLock { state in
      var ended = 0
      for (key, entry) in state.entries where !entry.isLeaving {
        let activity = entry.connection.activity
        // The kernel is asked only where its answer matters.
        let acknowledged = activity.phase == .sending ? entry.connection.acknowledgedBytes : 0
        switch timeouts.judge(activity, entry.progress, acknowledged: acknowledged, at: now) {
        case .keep(let progress):
          if progress != entry.progress { state.entries[key]?.progress = progress }
        case .end:
          state.end(key)
          // A client that has its response and says nothing more loses nothing.
          if activity.phase != .idle { refusals.count(.timeout) }
          ended += 1
        }
      }
      return ended
    }
  }
}

/// Adds up how long all places of a server were taken. libmicrohttpd then takes no connection, so none is refused that
/// could be counted: who comes waits in the kernel's queue.
struct FullTime: Hashable, Sendable {
  private var milliseconds: UInt64 = 0
  private var since: UInt64?

  mutating func begin(at now: UInt64) { since = since ?? now }

  mutating func end(at now: UInt64) { (milliseconds, since) = (total(at: now), nil) }

  func seconds(at now: UInt64) -> Double { Double(total(at: now)) / 1000 }

  private func total(at now: UInt64) -> UInt64 { milliseconds + (since.map { now - $0 } ?? 0) }
}
