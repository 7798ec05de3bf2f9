import SeedSystem

/// All open connections, and how many each address has.
///
/// libmicrohttpd says that a connection is closed before it closes its descriptor. So whatever stands in this
/// table, looked at under its lock, is still what it was; a descriptor's number cannot have been given to
/// another file.
final class ConnectionTable: Sendable {
  private struct Entry {
    let connection: ClientConnection
    var progress: Patience.Progress?
  }

  private struct State {
    var entries: [ObjectIdentifier: Entry] = [:]
    var counts: [IPAddress: Int] = [:]
  }

  private let state = Mutex(State())
  private let patience: Patience
  private let perAddressLimit: Int
  private let exempt: [IPNetwork]

  /// A table that admits so many connections of one address, and any number from `exempt` networks.
  init(patience: Patience, perAddressLimit: Int, exempt: [IPNetwork]) {
    self.patience = patience
    self.perAddressLimit = perAddressLimit
    self.exempt = exempt
  }

  /// Open connections.
  var count: Int { state.withLock { $0.entries.count } }

  /// How many connections wait for an answer, or for the rest of one.
  var answeringCount: Int {
    state.withLock { state in state.entries.values.count { $0.connection.activity.isAnswering } }
  }

  /// Whether any connection waits for an answer, or may have sent a request that nobody has read.
  func areBusy(at now: UInt64) -> Bool {
    state.withLock { state in
      state.entries.values.contains { $0.connection.activity.isBusy(at: now) }
    }
  }

  /// Whether that is a proxy in front, which is trusted.
  func isExempt(_ address: IPAddress) -> Bool { exempt.contains { $0.contains(address) } }

  /// Whether one more connection of that address may stay.
  func admits(_ address: IPAddress?) -> Bool {
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

  /// Ends all connections that try one's patience at that time; how many they were.
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

  private func judge(_ entry: Entry, at now: UInt64) -> Patience.Verdict {
    let activity = entry.connection.activity
    // The kernel is asked only where its answer matters.
    let acknowledged = activity.phase == .sending ? entry.connection.acknowledgedBytes : 0
    return patience.judge(activity, entry.progress, acknowledged: acknowledged, at: now)
  }
}
