import SeedTrust

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Whether there is room for a snapshot, asked before its first byte is fetched.
enum FreeSpace {
  /// Percent that must stay free beyond the files themselves: SQLite writes a journal.
  private static let reservePercent = 10

  static func check(for snapshot: PublishedObject, in directory: String) throws {
    var status = statvfs()
    // Where the system does not tell, writing will.
    guard statvfs(directory, &status) == 0 else { return }
    let available = UInt64(status.f_bavail) * UInt64(status.f_frsize)
    let needed = needed(snapshot)
    guard needed > available else { return }
    throw SeedError(
      .insufficientSpace, "\(snapshot.fileName) needs \(needed) bytes in \(directory), \(available) are free")
  }

  private static func needed(_ snapshot: PublishedObject) -> UInt64 {
    let (both, overflow) = UInt64(snapshot.rawLength).addingReportingOverflow(UInt64(snapshot.length))
    guard !overflow, both < .max / 200 else { return .max }
    return both + both / 100 * UInt64(reservePercent)
  }
}
