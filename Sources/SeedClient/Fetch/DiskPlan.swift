import SeedDatabase
import SeedTrust

/// The disk space that an update takes, counted before its first byte is fetched. Pure.
struct DiskPlan: Hashable, Sendable {
  /// Bytes that must be free.
  let needed: Int

  /// A delta's rows stand in SQLite's write-ahead log before they stand in the file: old and new pages at once.
  private static let journalFactor = 2
  /// A snapshot may come without its secondary indexes, of which the metadata says nothing and which are built on the
  /// device. They take half of what was shipped, in percent.
  private static let indexPercent = 50
  /// What must stay free beyond all that, in percent.
  private static let reservePercent = 10

  /// - Parameters:
  ///   - objects: The files to fetch.
  ///   - held: Bytes of them that are already here.
  init(_ objects: [PublishedObject], held: Int) {
    let stored = objects.reduce(0) { $0.adding($1.length) }
    let used = objects.reduce(0) { $0.adding($1.use(Self.journalFactor, Self.indexPercent)) }
    let all = max(stored - held, 0).adding(used)
    needed = all.adding(all.percent(Self.reservePercent))
  }

  /// Throws if they are not; where the system does not tell, writing will.
  func check(available: Int?, in folder: String) throws(SeedError) {
    guard let available, needed > available else { return }
    throw SeedError(
      .insufficientSpace,
      "the update needs \(needed) bytes in \(folder), but \(available) are free: make room and try again",
      neededBytes: needed, availableBytes: available)
  }
}

extension PublishedObject {
  /// Bytes that it takes beyond its own file, once it is used.
  fileprivate func use(_ journalFactor: Int, _ indexPercent: Int) -> Int {
    isSnapshot ? rawLength.adding(rawLength.percent(indexPercent)) : rawLength.times(journalFactor)
  }
}

extension Int {
  /// A sum that is never beyond the largest number: a hostile length must not trap.
  fileprivate func adding(_ other: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }

  fileprivate func times(_ factor: Int) -> Int {
    let (product, overflow) = multipliedReportingOverflow(by: factor)
    return overflow ? .max : product
  }

  fileprivate func percent(_ percent: Int) -> Int {
    (self / 100 + (isMultiple(of: 100) ? 0 : 1)).times(percent)
  }
}
