import SeedFormat
import SeedSystem

/// The text of a key file, whose secret never becomes a string: strings leave copies in memory.
struct SecretDocument {
  private static let member = Array(#""private""#.utf8)
  private static let hexDigits = 2 * SigningKey.byteCount
  /// Stands in the secret's place while the rest is read.
  private static let mask = UInt8(ascii: "0")

  /// The key's secret bytes.
  let seed: SecretBytes
  /// The document with its secret masked.
  let rest: [UInt8]

  /// `nil` where the document has no member `private` of 64 lower-case hexadecimal digits.
  init?(_ text: SecretBytes) {
    guard let place = text.withBytes(Self.secretPlace) else { return nil }
    seed = SecretBytes(count: SigningKey.byteCount) { memory in
      text.withBytes { Self.decode($0, place, into: memory) }
    }
    rest = text.withBytes { bytes in
      bytes.indices.map { place.contains($0) ? Self.mask : bytes[$0] }
    }
  }

  /// What the file of a key holds.
  static func text(of key: SigningKey) -> SecretBytes {
    let (head, tail) = (
      Array(#"{"keytype":"ed25519","private":""#.utf8),
      Array(#"","public":"\#(key.publicKey.hex)"}"#.utf8) + [UInt8(ascii: "\n")]
    )
    return SecretBytes(count: head.count + hexDigits + tail.count) { memory in
      memory.copyBytes(from: head)
      key.withSeed { encode($0, into: memory, at: head.count) }
      UnsafeMutableRawBufferPointer(rebasing: memory[(head.count + hexDigits)...]).copyBytes(from: tail)
    }
  }

  /// Where the secret's digits stand.
  private static func secretPlace(_ bytes: UnsafeRawBufferPointer) -> Range<Int>? {
    guard let name = bytes.firstRange(of: member) else { return nil }
    var at = name.upperBound
    func skipSpace() { while at < bytes.count, isSpace(bytes[at]) { at += 1 } }
    func take(_ byte: UInt8) -> Bool {
      guard at < bytes.count, bytes[at] == byte else { return false }
      at += 1
      return true
    }
    skipSpace()
    guard take(UInt8(ascii: ":")) else { return nil }
    skipSpace()
    guard take(UInt8(ascii: "\"")) else { return nil }
    let end = at + hexDigits
    guard end < bytes.count, bytes[end] == UInt8(ascii: "\""),
      bytes[at..<end].allSatisfy({ digit($0) != nil })
    else { return nil }
    return at..<end
  }

  private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }

  private static func decode(
    _ text: UnsafeRawBufferPointer, _ place: Range<Int>, into memory: UnsafeMutableRawBufferPointer
  ) {
    for index in memory.indices {
      let at = place.lowerBound + 2 * index
      memory[index] = (digit(text[at]) ?? 0) << 4 | (digit(text[at + 1]) ?? 0)
    }
  }

  private static func encode(
    _ bytes: UnsafeRawBufferPointer, into memory: UnsafeMutableRawBufferPointer, at start: Int
  ) {
    func hex(_ digit: UInt8) -> UInt8 {
      digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
    }
    for index in bytes.indices {
      memory[start + 2 * index] = hex(bytes[index] >> 4)
      memory[start + 2 * index + 1] = hex(bytes[index] & 0xF)
    }
  }
}
