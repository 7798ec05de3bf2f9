/// A small generator whose numbers follow from its seed, so that a demo is the same everywhere (SplitMix64).
struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number below `bound`. The standard library's own way from bits to ranges may change between releases.
  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

  /// One of the elements.
  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
}
