import SeedTrust

/// The disk space that an update takes, counted before its first byte is fetched. Pure.
struct DiskPlan: Hashable, Sendable {
  let needed: Int

  /// SQLite writes a delta's rows to its write-ahead log before it writes them to the file: old and new pages at once.
  private static let journalFactor: Int128 = 2
  /// Secondary indexes that a snapshot may lack are built on the device: half of what was shipped, in percent.
  private static let indexPercent: Int128 = 50
  /// The part that must stay free beyond all that, in percent.
  private static let reservePercent: Int128 = 10

  init(_ objects: [PublishedObject], held: Int) {
    // In 128 bits: a hostile length must not trap.
    let stored = objects.reduce(Int128(-held)) { $0 + Int128($1.length) }
    let used = objects.reduce(Int128(0)) { sum, object in
      let raw = Int128(object.rawLength)
      return sum + (object.isSnapshot ? raw + raw * Self.indexPercent / 100 : raw * Self.journalFactor)
    }
    let all = max(stored, 0) + used
    needed = Int(clamping: all + all * Self.reservePercent / 100)
  }

  func check(available: Int?, in folder: String) throws(SeedError) {
    guard let available, needed > available else { return }
    throw SeedError(
      .insufficientSpace,
      "the update needs \(needed) bytes in \(folder), but \(available) are free: make room and try again",
      neededBytes: needed, availableBytes: available)
  }
}
