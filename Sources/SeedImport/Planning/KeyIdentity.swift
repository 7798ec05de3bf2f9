import SeedDatabase
import SeedFormat

/// Keys as bytes that are equal where SQLite takes the keys for one: after the column's affinity, by its collation.
final class KeyIdentity {
  private let fitter = AffinityFitter()
  private let bytes = LentBytes()

  struct Part {
    let affinity: Affinity
    let collation: Collation
  }

  func describe(_ key: [BorrowedValue], _ parts: [Part], to identity: inout [UInt8]) throws {
    bytes.clear()
    var key = key
    for place in key.indices where !Self.isPlain(key[place], parts[place]) {
      key[place] = try normal(key[place], parts[place])
    }
    CanonicalRow.append(lent: key, to: &identity)
  }

  /// Whether no other value is the same key: so it is mostly, and nothing has to be done.
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

  /// As SQLite compares: ASCII letters without their case, and nothing but the length behind a NUL.
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
