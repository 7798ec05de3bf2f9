import Support

/// Changes bytes like accidents and attackers do. The result always differs from the input.
struct Mutation {
  private var random: SplitMix

  init(seed: UInt64) { random = SplitMix(seed: seed) }

  /// Bytes at a file's start that are changed more often, because parsers decide by headers.
  private static let headBytes = 200
  private static let mostFlips = 8
  private static let longestSpan = 400

  mutating func callAsFunction(_ bytes: [UInt8]) -> [UInt8] {
    var changed = bytes
    while changed == bytes { for _ in 0..<Int.random(in: 1...3, using: &random) { change(&changed) } }
    return changed
  }

  private mutating func change(_ bytes: inout [UInt8]) {
    guard !bytes.isEmpty else { return bytes.append(0) }
    switch Int.random(in: 0..<7, using: &random) {
    case 0, 1:
      for _ in 0..<Int.random(in: 1...Self.mostFlips, using: &random) {
        bytes[place(in: bytes)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      }
    case 2:
      for index in span(in: bytes) { bytes[index] = UInt8.random(in: .min ... .max, using: &random) }
    case 3:
      let filler = random.pick([0, 0xFF, 0x7F] as [UInt8])
      for index in span(in: bytes) { bytes[index] = filler }
    case 4: bytes.removeLast(Int.random(in: 1...bytes.count, using: &random))
    case 5: bytes.append(contentsOf: bytes[span(in: bytes)])
    default:
      let copied = Array(bytes[span(in: bytes)])
      let start = place(in: bytes)
      for (index, byte) in zip(start..<bytes.count, copied) { bytes[index] = byte }
    }
  }

  private mutating func place(in bytes: [UInt8]) -> Int {
    let end = random.chance(40) ? min(Self.headBytes, bytes.count) : bytes.count
    return Int.random(in: 0..<end, using: &random)
  }

  private mutating func span(in bytes: [UInt8]) -> Range<Int> {
    let start = place(in: bytes)
    return start..<min(bytes.count, start + Int.random(in: 1...Self.longestSpan, using: &random))
  }
}
