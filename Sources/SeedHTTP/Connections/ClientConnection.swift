internal import CMicroHTTPD
import SeedSystem

import struct Synchronization.Atomic

/// One open connection. Its own thread notes its phase; the reaper reads it from another thread.
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

  var activity: ConnectionTimeouts.Activity {
    let bits = activityBits.load(ordering: .relaxed)
    return ConnectionTimeouts.Activity(
      phase: .init(rawValue: bits >> Self.phaseShift)!, since: bits & Self.timeMask)
  }

  func enter(_ phase: ConnectionTimeouts.Activity.Phase) {
    activityBits.store(Self.bits(phase), ordering: .relaxed)
  }

  var acknowledgedBytes: UInt64 { seedbank_socket_acknowledged_bytes(descriptor) }

  /// Sends that, and says that nothing follows. What the kernel does not take at once is lost.
  func end(with bytes: [UInt8]) {
    _ = send(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT))
    shutdown(descriptor, CInt(SHUT_WR))
  }

  private static let discardedBytes = 256 * 1024
  private static let discardedPieceBytes = 16 * 1024

  /// To be called before its descriptor is closed. To a client that goes on sending, a close resets the connection, and the
  /// last answer is lost before it was read: so what has come by now is taken, up to a bound.
  func discardInput() {
    withUnsafeTemporaryAllocation(byteCount: Self.discardedPieceBytes, alignment: 1) { room in
      for _ in 0..<Self.discardedBytes / Self.discardedPieceBytes
      where recv(descriptor, room.baseAddress, room.count, CInt(MSG_DONTWAIT)) < room.count { return }
    }
  }

  /// To be called only while the descriptor is sure to be its own; see ``ConnectionTable``.
  func shutDown() { endTraffic(on: descriptor) }

  private static let phaseShift: UInt64 = 62
  private static let timeMask: UInt64 = 1 << phaseShift - 1

  private static func bits(_ phase: ConnectionTimeouts.Activity.Phase) -> UInt64 {
    phase.rawValue << phaseShift | monotonicMilliseconds()
  }
}

func monotonicNanoseconds() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

func monotonicMilliseconds() -> UInt64 { monotonicNanoseconds() / 1_000_000 }
