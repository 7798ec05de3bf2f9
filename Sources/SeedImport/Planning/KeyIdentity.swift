import SeedDatabase
import SeedFormat

/// Converts keys to bytes that are equal if SQLite considers the keys equal by affinity and collation.
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

/// A map from key hashes to numbers. It does not hash them again like a dictionary. Keys with equal hashes count as
/// one, which costs an extra lookup but never decides anything.
struct KeyTable {
  private var hashes: [UInt64] = []
  private var numbers: [Int] = []
  private var mask = 0

  private static let fewestSlots = 64
  /// Marks an empty slot; no hash is 0.
  private static let empty: UInt64 = 0

  /// Removes all keys and reserves room for `count`.
  mutating func clear(room count: Int) {
    var slots = max(Self.fewestSlots, hashes.count)
    while slots < 2 * count { slots *= 2 }
    if slots == hashes.count {
      hashes.withUnsafeMutableBufferPointer { $0.update(repeating: Self.empty) }
    } else {
      hashes = Array(repeating: Self.empty, count: slots)
      numbers = Array(repeating: 0, count: slots)
    }
    mask = slots - 1
  }

  /// Stores a key's number, and returns the previous number of that key or of one with the same hash.
  mutating func note(_ key: ArraySlice<BorrowedValue>, _ number: Int) -> Int? {
    let hash = Self.hash(key)
    var slot = Int(truncatingIfNeeded: hash >> 32) & mask
    while hashes[slot] != Self.empty {
      if hashes[slot] == hash {
        defer { numbers[slot] = number }
        return numbers[slot]
      }
      slot = (slot + 1) & mask
    }
    (hashes[slot], numbers[slot]) = (hash, number)
    return nil
  }

  private static func hash(_ key: ArraySlice<BorrowedValue>) -> UInt64 {
    var hash: UInt64 = 0
    for value in key {
      switch value {
      case .integer(let value): mix(UInt64(bitPattern: value), into: &hash)
      case .real(let value): mix(value.bitPattern, into: &hash)
      case .text(let bytes), .blob(let bytes): mix(bytes, into: &hash)
      case .null: mix(0, into: &hash)
      }
    }
    return hash | 1
  }

  private static func mix(_ bytes: UnsafeBufferPointer<UInt8>, into hash: inout UInt64) {
    let (words, rest) = bytes.count.quotientAndRemainder(dividingBy: MemoryLayout<UInt64>.size)
    let raw = UnsafeRawBufferPointer(bytes)
    for word in 0..<words { mix(raw.loadUnaligned(fromByteOffset: word * 8, as: UInt64.self), into: &hash) }
    var last = UInt64(bytes.count)
    for place in (bytes.count - rest)..<bytes.count { last = last << 8 | UInt64(bytes[place]) }
    mix(last, into: &hash)
  }

  /// The finalizer of MurmurHash3, applied to the previous hash and the next word.
  private static func mix(_ word: UInt64, into hash: inout UInt64) {
    hash = (hash ^ word) &* 0xFF51_AFD7_ED55_8CCD
    hash ^= hash >> 33
    hash = hash &* 0xC4CE_B9FE_1A85_EC53
    hash ^= hash >> 29
  }
}
