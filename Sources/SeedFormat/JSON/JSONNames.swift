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
