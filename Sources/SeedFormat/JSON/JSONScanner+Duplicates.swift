// Rejects duplicate member names: RFC 8259 leaves their meaning open, so readers would disagree.
extension JSONScanner {
  /// Up to this many members, names are compared pairwise, which is cheaper than a set.
  private static let pairwiseMembers = 16

  func refuseDuplicates(_ object: Int, _ tape: borrowing JSONTape) throws(JSONError) {
    let count = tape.count(object)
    guard count > 1 else { return }
    if count > Self.pairwiseMembers { return try refuseDuplicatesBySet(object, tape) }
    var (member, seen) = (object + 1, 0 as UInt64)
    for _ in 0..<count {
      let mark = mark(text(member, of: tape))
      if seen & mark != 0 { try compareWithEarlier(member, object, tape) }
      seen |= mark
      member = tape.end(of: member + 1)
    }
  }

  /// Hashes a name to one of 64 bits; the names of most rows get distinct bits.
  @inline(__always)
  private func mark(_ name: UnsafeBufferPointer<UInt8>) -> UInt64 {
    guard let first = name.first, let last = name.last else { return 1 }
    return 1 << UInt64(truncatingIfNeeded: (name.count &* 7 ^ Int(first) ^ Int(last) &* 3) & 63)
  }

  private func compareWithEarlier(
    _ member: Int, _ object: Int, _ tape: borrowing JSONTape
  ) throws(JSONError) {
    var earlier = object + 1
    while earlier < member {
      if same(earlier, member, tape) { throw duplicate(member, tape) }
      earlier = tape.end(of: earlier + 1)
    }
  }

  private func refuseDuplicatesBySet(_ object: Int, _ tape: borrowing JSONTape) throws(JSONError) {
    var names: Set<[UInt8]> = []
    var member = object + 1
    for _ in 0..<tape.count(object) {
      let name = Array(text(member, of: tape))
      guard names.insert(name).inserted else { throw duplicate(member, tape) }
      member = tape.end(of: member + 1)
    }
  }

  private func same(_ left: Int, _ right: Int, _ tape: borrowing JSONTape) -> Bool {
    guard tape.count(left) == tape.count(right) else { return false }
    return text(left, of: tape).elementsEqual(text(right, of: tape))
  }

  private func duplicate(_ member: Int, _ tape: borrowing JSONTape) -> JSONError {
    JSONError(at: tape.offset(member), "duplicate member name \"\(string(member, of: tape))\"")
  }
}

/// The member names of an object that is read token by token.
struct JSONNames {
  private var names: Set<[UInt8]> = []
  /// Used for large objects, whose names would take more memory than their rows.
  private var hashes: Set<Int> = []

  private static let mostNames = 1024

  /// False for a duplicate. Random 64-bit hashes: half a million names collide in one of 100 million objects.
  mutating func insert(_ name: String) -> Bool {
    // Compared as bytes: Swift strings are equal in all normal forms, member names are not.
    if hashes.isEmpty, names.count < Self.mostNames { return names.insert(Array(name.utf8)).inserted }
    if hashes.isEmpty {
      hashes = Set(names.map { Self.hash($0) })
      names = []
    }
    return hashes.insert(Self.hash(name.utf8)).inserted
  }

  private static func hash(_ bytes: some Collection<UInt8>) -> Int {
    var hasher = Hasher()
    for byte in bytes { hasher.combine(byte) }
    return hasher.finalize()
  }
}
