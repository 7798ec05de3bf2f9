import Foundation
import SeedFormat

/// The forms in which parts of a key can be printed.
struct KeyTraces {
  /// Bytes in a row.
  private static let partBytes = 4
  /// Base64 digits in a row: a few more than a part has, because four of them occur by chance.
  private static let base64Digits = 6

  private let parts: [[UInt8]]
  private let base64: [String]

  /// `digits`: the key in hexadecimal.
  init(of digits: String) {
    let key = stride(from: 0, to: digits.count, by: 2).compactMap {
      UInt8(digits.dropFirst($0).prefix(2), radix: 16)
    }
    parts = Self.windows(key, Self.partBytes)
    base64 = (0..<3).flatMap { Self.base64(key, after: $0) }
  }

  /// Whether a part is printed as bytes, hexadecimal digits, a register's digits, a list or base64.
  func areIn(_ printed: [UInt8]) -> Bool {
    // A memory dump has blanks between bytes.
    let text = String(decoding: printed, as: UTF8.self).filter { !$0.isWhitespace }
    let lower = text.lowercased()
    let isShown = parts.contains { part in
      printed.contains(part) || lower.contains(lowerHex(part)) || lower.contains(lowerHex(part.reversed()))
        || text.contains(part.map(String.init).joined(separator: ","))
    }
    return isShown || base64.contains { text.contains($0) }
  }

  private static func windows(_ bytes: [UInt8], _ length: Int) -> [[UInt8]] {
    bytes.indices.dropLast(length - 1).map { Array(bytes[$0..<$0 + length]) }
  }

  /// Base64 of the key alone, after one byte and after two, without digits that other bytes change.
  private static func base64(_ key: [UInt8], after count: Int) -> [String] {
    let digits = Data([UInt8](repeating: 0, count: count) + key).base64EncodedString()
    let own = digits.prefix(8 * (count + key.count) / 6).dropFirst((8 * count + 5) / 6)
    return windows(Array(own.utf8), base64Digits).map { String(decoding: $0, as: UTF8.self) }
  }
}
