// Rejects duplicate member names: RFC 8259 leaves their meaning open, so readers would disagree.
extension JSONScanner {
  func refuseDuplicates(_ object: Int, _ tape: borrowing JSONTape) throws(JSONError) {
    guard tape.count(object) > 1 else { return }
    var names = JSONNames()
    var member = object + 1
    for _ in 0..<tape.count(object) {
      guard names.insert(text(member, of: tape)) else {
        throw .duplicate(string(member, of: tape), at: tape.offset(member))
      }
      member = tape.end(of: member + 1)
    }
  }
}

extension JSONError {
  static func duplicate(_ name: String, at offset: Int) -> JSONError {
    JSONError(at: offset, "duplicate member name \"\(name)\"")
  }
}

/// Stores hashes of an object's member names, because a large object's names take more memory than its rows.
/// Hashes are random 64-bit numbers: of half a million names, two collide in one of 100 million objects.
struct JSONNames {
  private var hashes: Set<Int> = []

  /// Returns false for a duplicate. Compares bytes, because Swift strings are equal in all Unicode normal forms.
  mutating func insert(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    var hasher = Hasher()
    hasher.combine(bytes: UnsafeRawBufferPointer(name))
    return hashes.insert(hasher.finalize()).inserted
  }
}
