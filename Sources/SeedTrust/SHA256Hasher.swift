package import SeedFormat
package import SeedSystem

extension SHA256Hasher {
  package mutating func update(_ bytes: [UInt8]) { bytes.withUnsafeBytes { update($0) } }

  /// Returns the digest and resets the hasher.
  package mutating func finish() -> SHA256Digest {
    withUnsafeTemporaryAllocation(byteCount: SHA256Digest.byteCount, alignment: 8) { buffer in
      finish(into: buffer)
      func word(_ index: Int) -> UInt64 {
        UInt64(bigEndian: buffer.load(fromByteOffset: 8 * index, as: UInt64.self))
      }
      return SHA256Digest(words: DigestWords(word(0), word(1), word(2), word(3)))
    }
  }
}

extension SHA256Digest {
  package static func of(_ bytes: [UInt8]) -> SHA256Digest {
    var hasher = SHA256Hasher()
    hasher.update(bytes)
    return hasher.finish()
  }

  private static let pieceBytes = 256 * 1024

  package static func ofFile(at path: String) throws(FileError) -> (digest: SHA256Digest, length: Int) {
    let file = try File(path, for: .reading)
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceBytes, alignment: 16)
    defer { piece.deallocate() }
    var hasher = SHA256Hasher()
    var length = 0
    while true {
      let count = try file.read(into: piece)
      if count == 0 { return (hasher.finish(), length) }
      hasher.update(UnsafeRawBufferPointer(rebasing: piece[..<count]))
      length += count
    }
  }
}
