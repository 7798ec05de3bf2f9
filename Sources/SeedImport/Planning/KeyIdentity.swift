import SeedDatabase
import SeedFormat

/// Converts keys to bytes that are equal if SQLite considers the keys equal by affinity and collation.
final class KeyIdentity {
  private let fitter = AffinityFitter()
  private let bytes = LentBytes()

  typealias Part = (affinity: Affinity, collation: Collation)

  func describe(_ key: [BorrowedValue], _ parts: [Part], to identity: inout [UInt8]) throws {
    bytes.clear()
    var key = key
    for place in key.indices where !Self.isPlain(key[place], parts[place]) {
      key[place] = try normal(key[place], parts[place])
    }
    CanonicalRow.write(lent: key, over: &identity)
  }

  /// Whether no other value can be the same key, which is the common case and needs no conversion.
  static func isPlain(_ value: BorrowedValue, _ part: Part) -> Bool {
    switch value {
    case .real: false
    case .text: part.collation == .binary && AffinityFitter.fits(value, part.affinity)
    case .null, .integer, .blob: AffinityFitter.fits(value, part.affinity)
    }
  }

  private func normal(_ value: BorrowedValue, _ part: Part) throws -> BorrowedValue {
    var value = value
    if !AffinityFitter.fits(value, part.affinity) {
      value = bytes.lend(try fitter.fit(value.owned, to: part.affinity))
    }
    switch value {
    case .real(let real): return Int64(exactly: real).map { .integer($0) } ?? value
    case .text(let text):
      switch part.collation {
      case .binary: return value
      case .rightTrim: return .text(KeyOrder.trimmed(text))
      case .noCase: return .text(lowercased(text))
      }
    case .null, .integer, .blob: return value
    }
  }

  /// Lower-cases like SQLite's NOCASE: ASCII letters only; after a NUL, only the length counts.
  private func lowercased(_ text: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
    let room = bytes.room(text.count)
    var isBehindNUL = false
    for (place, byte) in text.enumerated() {
      isBehindNUL = isBehindNUL || byte == 0
      let isUpper = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
      room[place] = isBehindNUL ? 0 : isUpper ? byte | 0x20 : byte
    }
    return UnsafeBufferPointer(room.bindMemory(to: UInt8.self))
  }
}
