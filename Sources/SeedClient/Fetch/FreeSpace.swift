#if canImport(Darwin)
import Foundation
#else
import Glibc
#endif

/// How much room a volume has.
package enum FreeSpace {
  #if canImport(Darwin)
  /// Bytes that the system would make free for what the user asked for, caches of others included.
  package static func bytes(in folder: String) -> Int? {
    let url = URL(fileURLWithPath: folder, isDirectory: true)
    let values = try? url.resourceValues(forKeys: [.volumeAvailableCapacityForImportantUsageKey])
    return values?.volumeAvailableCapacityForImportantUsage.map { Int($0) }
  }
  #else
  /// Bytes that a process without privileges may still write.
  package static func bytes(in folder: String) -> Int? {
    var status = statvfs()
    guard statvfs(folder, &status) == 0 else { return nil }
    let (bytes, overflow) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
    return overflow ? Int.max : Int(clamping: bytes)
  }
  #endif
}
