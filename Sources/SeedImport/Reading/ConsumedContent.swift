import SeedDatabase
import SeedFormat
import SeedTrust

/// What was read of an import's documents so far, as one digest: by it a resumed import knows them again.
///
/// Only imports in batches keep it. It costs them one pass of SHA-256 over the expanded documents, a second for
/// about a gigabyte.
struct ConsumedContent: ~Copyable {
  private var hasher = SHA256Hasher()
  /// Bytes of the document at hand that are in the digest.
  private var length = 0

  /// Takes in what the scanner has passed: bytes that it is about to forget, or that are committed.
  mutating func take(_ scanner: borrowing JSONScanner, upTo end: Int) {
    guard end > length else { return }
    hasher.update(UnsafeRawBufferPointer(scanner.bytes(length..<end)))
    length = end
  }

  /// Ends a document: the next one begins with bytes of its own, wherever this one ended.
  mutating func endDocument(_ scanner: borrowing JSONScanner) {
    take(scanner, upTo: scanner.bytesFed)
    withUnsafeBytes(of: UInt64(length).littleEndian) { hasher.update($0) }
    length = 0
  }

  var digest: SHA256Digest { hasher.digestSoFar() }
}
