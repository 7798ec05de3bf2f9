internal import Dispatch
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

  package init(connections: Int = 0, answering: Int = 0, isEnding: Bool = false) {
    (self.connections, self.answering, self.isEnding) = (connections, answering, isEnding)
  }
}

/// All open connections, and their count by address.
///
/// libmicrohttpd reports a connection as closed before it closes the descriptor. So under this table's lock, a
/// connection's descriptor is still its own: its number cannot have been given to another file.
final class ConnectionTable: Sendable {
  private struct Entry {
    let connection: ClientConnection
    var progress: ConnectionTimeouts.Progress?
  }

  private struct State {
    var entries: [ObjectIdentifier: Entry] = [:]
    var counts: [IPAddress: Int] = [:]
  }

  private enum Phase: UInt8 {
    case serving
    /// Each connection ends with its next response; new ones are accepted.
    case draining
    /// The same, and new connections are refused.
    case ending
  }

  private let state = Mutex(State())
  private let phase = Atomic(Phase.serving.rawValue)
  private let timeouts: ConnectionTimeouts
  private let perAddressLimit: Int
  private let exempt: [IPNetwork]

  /// `perAddressLimit` does not apply to addresses in the `exempt` networks.
  init(_ timeouts: ConnectionTimeouts, perAddressLimit: Int, exempt: [IPNetwork]) {
    self.timeouts = timeouts
    self.perAddressLimit = perAddressLimit
    self.exempt = exempt
  }

  var load: HTTPLoad {
    state.withLock { state in
      HTTPLoad(
        connections: state.entries.count,
        answering: state.entries.values.count { $0.connection.activity.isAnswering }, isEnding: isDraining)
    }
  }

  /// Set once every connection is to end with its next response.
  var isDraining: Bool { hasReached(.draining) }

  private func hasReached(_ reached: Phase) -> Bool { phase.load(ordering: .acquiring) >= reached.rawValue }

  /// From now on each connection ends with its next response, and another one may take its place.
  func beginDraining() { phase.max(Phase.draining.rawValue, ordering: .acquiringAndReleasing) }

  /// From now on connections are refused as well; false if that was so already.
  ///
  /// Not MHD_quiesce_daemon: in 0.9.75 it races with its own workers, and the loser aborts the process.
  func beginEnding() -> Bool {
    phase.exchange(Phase.ending.rawValue, ordering: .acquiringAndReleasing) != Phase.ending.rawValue
  }

  /// Waits until no request is unanswered or on its way, at most for that time.
  func waitUntilQuiet(milliseconds: UInt64) {
    let deadline = monotonicMilliseconds() + milliseconds
    while monotonicMilliseconds() < deadline, isBusy(at: monotonicMilliseconds()) {
      usleep(Self.quietCheckMicroseconds)
    }
  }

  private static let quietCheckMicroseconds: UInt32 = 2_000

  /// Whether any connection waits for a response, or may have sent a request that nobody has read yet.
  private func isBusy(at now: UInt64) -> Bool {
    state.withLock { state in
      state.entries.values.contains { $0.connection.activity.isBusy(at: now) }
    }
  }

  /// Whether the address is that of a trusted proxy.
  func isExempt(_ address: IPAddress) -> Bool { exempt.contains { $0.contains(address) } }

  /// Whether one more connection of the address is allowed.
  func admits(_ address: IPAddress?) -> Bool {
    guard !hasReached(.ending) else { return false }
    guard let address, !isExempt(address) else { return true }
    return state.withLock { $0.counts[address.subscriber, default: 0] < perAddressLimit }
  }

  func add(_ connection: ClientConnection) {
    state.withLock { state in
      state.entries[ObjectIdentifier(connection)] = Entry(connection: connection)
      if let address = connection.address { state.counts[address.subscriber, default: 0] += 1 }
    }
  }

  func remove(_ connection: ClientConnection) {
    state.withLock { state in
      guard state.entries.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
      guard let key = connection.address?.subscriber, let count = state.counts[key] else { return }
      state.counts[key] = count > 1 ? count - 1 : nil
    }
  }

  /// Ends all connections that exceed a timeout, and returns their count.
  @discardableResult
  func reap(at now: UInt64) -> Int {
    state.withLock { state in
      var ended = 0
      for (key, entry) in state.entries {
        switch judge(entry, at: now) {
        case .keep(let progress):
          if progress != entry.progress { state.entries[key]?.progress = progress }
        case .end:
          entry.connection.shutDown()
          ended += 1
        }
      }
      return ended
    }
  }

  private func judge(_ entry: Entry, at now: UInt64) -> ConnectionTimeouts.Verdict {
    let activity = entry.connection.activity
    // The kernel is asked only where its answer matters.
    let acknowledged = activity.phase == .sending ? entry.connection.acknowledgedBytes : 0
    return timeouts.judge(activity, entry.progress, acknowledged: acknowledged, at: now)
  }
}

/// Reaps the table every half second for as long as it lives.
final class Reaper: Sendable {
  private static let periodMilliseconds = 500
  // It may be cancelled from any thread, though its type does not say so.
  private nonisolated(unsafe) let timer: any DispatchSourceTimer

  init(_ table: ConnectionTable) {
    let queue = DispatchQueue(label: "seedbank.reaper")
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(
      deadline: .now() + .milliseconds(Self.periodMilliseconds),
      repeating: .milliseconds(Self.periodMilliseconds))
    timer.setEventHandler { @Sendable in table.reap(at: monotonicMilliseconds()) }
    timer.resume()
    self.timer = timer
  }

  deinit { timer.cancel() }
}
