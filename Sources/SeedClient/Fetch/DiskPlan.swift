import SeedFormat
import SeedTrust

/// The disk space that an update needs beside the existing files, computed before the download: its files, and their
/// expanded contents. Pure.
struct DiskPlan: Hashable, Sendable {
  let needed: Int

  /// `held` bytes of the objects are already here.
  init(_ objects: [PublishedObject], held: Int) {
    let stored = objects.reduce(0) { $0.plus($1.length) }
    needed = objects.reduce(max(stored - held, 0)) { $0.plus($1.rawLength) }
  }

  func check(available: Int?, in folder: String) throws(SeedError) {
    guard let available, needed > available else { return }
    throw SeedError(
      .insufficientSpace,
      "the update needs \(ByteCount(bytes: needed)) in \(folder), but \(ByteCount(bytes: available)) are free: make room and try again",
      neededBytes: needed, availableBytes: available)
  }
}

extension Int {
  /// Saturates, because a hostile length must not trap.
  fileprivate func plus(_ other: Int) -> Int {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? .max : sum
  }
}
