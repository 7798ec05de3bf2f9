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
