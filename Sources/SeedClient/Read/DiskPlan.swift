import Foundation
import SeedDatabase
import SeedFormat
import SeedTrust

/// The disk space that an update needs beside the existing files, computed before the download. Pure.
struct DiskPlan: Hashable, Sendable {
  /// The space to ask for: files and expanded snapshot, and the log of deltas to scattered rows.
  let needed: Int
  /// The most that the update can use, with indexes that a snapshot left out and a log of every page.
  let most: Int

  /// Secondary indexes missing from a snapshot are built on the device: half of the snapshot's size, in percent.
  private static let indexPercent = 50
  /// The largest share of the file that one transaction has written to the log, in percent, and of its rows that it has
  /// added to log and file (both measured).
  private static let mostLogPercent = 125
  private static let mostRowPercent = 300

  /// Deltas are applied to `file`, if known; `held` bytes of the objects are already here.
  init(_ objects: [PublishedObject], held: Int, over file: FileShape? = nil) {
    let stored = max(objects.reduce(0) { $0.plus($1.length) } - held, 0)
    let snapshot = objects.first { $0.isSnapshot }?.rawLength ?? 0
    let rows = objects.reduce(0) { $0.plus($1.isSnapshot ? 0 : $1.rawLength) }
    let shape = file ?? .typical(snapshot)
    let all = stored.plus(snapshot)
    needed = all.plus(shape.log(ofRows: rows))
    let log = rows == 0 ? 0 : max(shape.bytes, snapshot).percent(Self.mostLogPercent)
    let indexes = snapshot.percent(Self.indexPercent)
    most = max(needed, all.plus(indexes).plus(log).plus(rows.percent(Self.mostRowPercent)))
  }

  func check(available: Int?, in folder: String) throws(SeedError) {
    guard let available, needed > available else { return }
    throw SeedError(
      .insufficientSpace,
      "the update needs \(ByteCount(bytes: needed)) in \(folder), but \(ByteCount(bytes: available)) are free: make room and try again",
      neededBytes: needed, availableBytes: available)
  }

  /// Adds the sizes to the error of a disk that became full during the update.
  func explaining(_ error: any Error, available: Int?, in folder: String) -> any Error {
    let found = SeedError(error)
    guard found.code == .insufficientSpace, found.neededBytes == nil, let available, most > available,
      (error as? DatabaseError)?.place != .scratch
    else { return error }
    return SeedError(
      .insufficientSpace,
      "the update needs up to \(ByteCount(bytes: most)) in \(folder), but \(ByteCount(bytes: available)) are free (\(error)): make room and try again",
      neededBytes: most, availableBytes: available)
  }
}

/// The sizes of a data file that decide how much a delta writes.
struct FileShape: Hashable, Sendable {
  let bytes: Int
  let rows: Int
  /// Entries of secondary indexes.
  let entries: Int
  let pageBytes: Int

  private static let typicalRowBytes = 100
  /// The fewest bytes that an update of one number takes in a delta, with its key.
  private static let updateBytes = 20
  /// A margin for pages that split and for the log's headers, in percent of the expected log and growth.
  private static let marginPercent = 120

  /// With one index over rows of 100 bytes.
  static func typical(_ bytes: Int) -> FileShape {
    let rows = bytes / Self.typicalRowBytes
    return FileShape(bytes: bytes, rows: rows, entries: rows, pageBytes: 4096)
  }

  /// The expected log and growth of a delta of `raw` bytes to rows that are scattered over the file. A whole row changes a
  /// page of its table and two of each index; an update is shorter and mostly changes no index. Some pages are the same: of
  /// p pages, n random ones are p(1 - exp(-n/p)) different ones.
  func log(ofRows raw: Int) -> Int {
    guard raw > 0, rows > 0, bytes > 0 else { return raw }
    let (rows, entries, pages) = (Double(rows), Double(entries), Double(bytes) / Double(pageBytes))
    let whole = Double(raw) * (rows + entries / 2) / Double(bytes) * (1 + 2 * entries / rows)
    let updates = Double(raw / Self.updateBytes)
    let touched = pages * (1 - exp(-max(whole, updates) / pages))
    return Int(min(touched * Double(pageBytes), 1e18)).plus(raw).percent(Self.marginPercent)
  }
}

// Saturates, because a hostile length must not trap.
extension Int {
  func plus(_ other: Int) -> Int {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? .max : sum
  }

  func percent(_ part: Int) -> Int {
    let (product, overflows) = (self / 100).multipliedReportingOverflow(by: part)
    return overflows ? .max : product.plus(self % 100 * part / 100)
  }
}
