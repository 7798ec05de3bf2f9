import SeedFormat
import SeedTrust

/// The disk space that an update needs, computed before the download. Pure.
struct DiskPlan: Hashable, Sendable {
  let needed: Int

  /// SQLite writes a delta's rows to the write-ahead log before the file, so old and new pages exist at once.
  private static let journalFactor = 2
  /// Secondary indexes missing from a snapshot are built on the device: half of the snapshot's size, in percent.
  private static let indexPercent = 50
  private static let reservePercent = 10

  init(_ objects: [PublishedObject], held: Int) {
    let stored = objects.reduce(0) { $0.plus($1.length) }
    let used = objects.reduce(0) { sum, object in
      sum.plus(
        object.isSnapshot
          ? object.rawLength.plus(object.rawLength.percent(Self.indexPercent))
          : object.rawLength.times(Self.journalFactor))
    }
    let all = max(stored - held, 0).plus(used)
    needed = all.plus(all.percent(Self.reservePercent))
  }

  func check(available: Int?, in folder: String) throws(SeedError) {
    guard let available, needed > available else { return }
    throw SeedError(
      .insufficientSpace,
      "the update needs \(ByteCount(bytes: needed)) in \(folder), but \(ByteCount(bytes: available)) are free: make room and try again",
      neededBytes: needed, availableBytes: available)
  }
}

// Saturates, because a hostile length must not trap.
extension Int {
  fileprivate func plus(_ other: Int) -> Int {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? .max : sum
  }

  fileprivate func times(_ factor: Int) -> Int {
    let (product, overflows) = multipliedReportingOverflow(by: factor)
    return overflows ? .max : product
  }

  fileprivate func percent(_ part: Int) -> Int { self / 100 * part + self % 100 * part / 100 }
}
