internal import CMicroHTTPD
import SeedSystem

import struct Synchronization.Atomic

/// One open connection. Its thread says what it is at; the reaper looks from another one.
final class ClientConnection: Sendable {
  let address: IPAddress?
  let descriptor: CInt
  /// Phase in the two highest bits, milliseconds below.
  private let activityBits: Atomic<UInt64>

  init(descriptor: CInt, address: IPAddress?) {
    self.descriptor = descriptor
    self.address = address
    activityBits = Atomic(Self.bits(.opening))
  }

  var activity: Patience.Activity {
    let bits = activityBits.load(ordering: .relaxed)
    return Patience.Activity(phase: .init(rawValue: bits >> Self.phaseShift)!, since: bits & Self.timeMask)
  }

  /// Says what happens from now on.
  func enter(_ phase: Patience.Activity.Phase) {
    activityBits.store(Self.bits(phase), ordering: .relaxed)
  }

  /// Bytes that the client has acknowledged since the connection began.
  var acknowledgedBytes: UInt64 { seedbank_socket_acknowledged_bytes(descriptor) }

  /// Ends it. Only while it is sure that the descriptor is still its own; see ``ConnectionTable``.
  func shutDown() { endTraffic(on: descriptor) }

  private static let phaseShift: UInt64 = 62
  private static let timeMask: UInt64 = 1 << phaseShift - 1

  private static func bits(_ phase: Patience.Activity.Phase) -> UInt64 {
    phase.rawValue << phaseShift | monotonicMilliseconds()
  }
}

/// Nanoseconds of a clock that only goes forward.
func monotonicNanoseconds() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// Milliseconds of a clock that only goes forward, as coarse as the kernel's tick.
func monotonicMilliseconds() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
  return UInt64(time.tv_sec) * 1000 + UInt64(time.tv_nsec) / 1_000_000
}
