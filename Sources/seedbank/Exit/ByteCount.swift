import Foundation

/// A size for people; what is for programs says the bytes.
struct ByteCount: CustomStringConvertible {
  let bytes: Int

  private static let units = ["kB", "MB", "GB", "TB"]

  /// `512 bytes`, `19.0 MB`: decimal units, as disks and networks are sold.
  var description: String {
    guard bytes >= 1000 else { return "\(bytes) bytes" }
    var (value, unit) = (Double(bytes) / 1000, 0)
    while value >= 999.95, unit < Self.units.count - 1 { (value, unit) = (value / 1000, unit + 1) }
    return String(format: "%.1f %@", value, Self.units[unit])
  }
}
