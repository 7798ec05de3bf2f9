package import SeedFormat
package import SeedSystem

extension SHA256Digest {
  /// Bytes that are read from a file at a time.
  private static let pieceBytes = 256 * 1024

  /// The digest and the length of a file, read in pieces.
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
