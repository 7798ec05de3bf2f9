import Foundation

/// The sizes of a data file that decide how much a delta writes.
struct FileShape: Hashable, Sendable {
  let bytes: Int
  let rows: Int
  /// Entries of secondary indexes.
  let entries: Int
  let pageBytes: Int

  private static let typicalRowBytes = 100
  /// A margin for pages that split and for the log's headers, in percent of the expected log and growth.
  private static let marginPercent = 120

  /// With one index over rows of 100 bytes.
  static func typical(_ bytes: Int) -> FileShape {
    let rows = bytes / Self.typicalRowBytes
    return FileShape(bytes: bytes, rows: rows, entries: rows, pageBytes: 4096)
  }

  /// The expected log and growth of a delta of `raw` bytes to rows that are scattered over the file. A row changes a page
  /// of its table and two of each index, of which some are the same: of p pages, n random ones are p(1 - exp(-n/p))
  /// different ones.
  func log(ofRows raw: Int) -> Int {
    guard raw > 0, rows > 0, bytes > 0 else { return raw }
    let (rows, entries, pages) = (Double(rows), Double(entries), Double(bytes) / Double(pageBytes))
    let changed = Double(raw) * (rows + entries / 2) / Double(bytes)
    let touched = pages * (1 - exp(-changed * (1 + 2 * entries / rows) / pages))
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
