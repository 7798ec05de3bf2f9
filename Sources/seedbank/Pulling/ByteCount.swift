import Foundation

/// Bytes as a person reads them.
struct ByteCount: CustomStringConvertible {
  let bytes: Int

  private static let units = ["kB", "MB", "GB", "TB"]

  /// `512 bytes`, `19.0 MB`: decimal units, as disks and networks are sold.
  var description: String {
    var value = Double(bytes)
    guard value >= 1000 else { return "\(bytes) bytes" }
    var unit = -1
    while value >= 999.95, unit < Self.units.count - 1 {
      value /= 1000
      unit += 1
    }
    return String(format: "%.1f %@", value, Self.units[unit])
  }
}
