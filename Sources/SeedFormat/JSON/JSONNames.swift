/// The names of an object's members that came so far.
struct JSONNames {
  private var names: Set<[UInt8]> = []
  /// Of an object with many: the names themselves would take more memory than the rows that it holds.
  private var hashes: Set<Int> = []

  private static let mostNames = 1024

  /// False for a name that was there. Hashes have 64 bits and another seed in each process: two names of a dictionary of
  /// half a million have the same in one of 100 million dictionaries.
  mutating func insert(_ name: String) -> Bool {
    // As bytes: a Swift string equals its other normal forms, a member name does not.
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
