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

/// Hashes of an object's member names; the names of a large one would take more memory than its rows. Random 64-bit
/// hashes: half a million names collide in one of 100 million objects.
struct JSONNames {
  private var hashes: Set<Int> = []

  /// False for a duplicate. Names are bytes: Swift strings are equal in all normal forms, member names are not.
  mutating func insert(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    var hasher = Hasher()
    hasher.combine(bytes: UnsafeRawBufferPointer(name))
    return hashes.insert(hasher.finalize()).inserted
  }
}
