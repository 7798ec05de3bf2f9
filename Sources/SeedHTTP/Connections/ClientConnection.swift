internal import CMicroHTTPD
import SeedSystem

import struct Synchronization.Atomic

/// One open connection. Its thread sets the phase; the reaper reads it from another thread.
final class ClientConnection: Sendable {
  let address: IPAddress?
  let descriptor: CInt
  /// The two highest bits hold the phase, the others the time in milliseconds at which it began.
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

  /// Sends the bytes and shuts down the sending side. Drops bytes that the kernel does not accept at once.
  func end(with bytes: [UInt8]) {
    _ = send(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT))
    shutdown(descriptor, CInt(SHUT_WR))
  }

  private static let discardedBytes = 256 * 1024
  private static let discardedPieceBytes = 16 * 1024

  /// Discards unread input, up to a limit. Call this before closing the descriptor: if input is unread, closing
  /// resets the connection, and the client may lose the last response.
  func discardInput() {
    withUnsafeTemporaryAllocation(byteCount: Self.discardedPieceBytes, alignment: 1) { room in
      for _ in 0..<Self.discardedBytes / Self.discardedPieceBytes
      where recv(descriptor, room.baseAddress, room.count, CInt(MSG_DONTWAIT)) < room.count { return }
    }
  }

  /// Call only while the descriptor certainly belongs to this connection; see ``ConnectionTable``.
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
