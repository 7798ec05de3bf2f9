package import SeedFormat

/// SHA-256 over bytes that come in pieces; made once and used for any number of messages.
///
/// The state belongs to one owner, so it may move between threads but never be shared.
package struct SHA256Hasher: ~Copyable, @unchecked Sendable {
  private var context = SHA256Context()

  /// An empty message.
  package init() {}

  /// Appends bytes to the message.
  package mutating func update(_ bytes: UnsafeRawBufferPointer) { context.update(bytes) }

  /// Appends bytes to the message.
  package mutating func update(_ bytes: [UInt8]) { bytes.withUnsafeBytes { context.update($0) } }

  /// The digest of the message; the next message begins empty.
  package mutating func finish() -> SHA256Digest {
    withUnsafeTemporaryAllocation(byteCount: SHA256Digest.byteCount, alignment: 8) { buffer in
      context.finish(into: buffer)
      return Self.digest(in: buffer)
    }
  }

  /// The digest of the message so far, which goes on.
  package func digestSoFar() -> SHA256Digest {
    withUnsafeTemporaryAllocation(byteCount: SHA256Digest.byteCount, alignment: 8) { buffer in
      context.writeDigestSoFar(into: buffer)
      return Self.digest(in: buffer)
    }
  }

  private static func digest(in buffer: UnsafeMutableRawBufferPointer) -> SHA256Digest {
    func word(_ index: Int) -> UInt64 {
      UInt64(bigEndian: buffer.load(fromByteOffset: 8 * index, as: UInt64.self))
    }
    return SHA256Digest(words: (word(0), word(1), word(2), word(3)))
  }

  /// Writes the digest's 32 bytes into `digest`; the next message begins empty.
  package mutating func finish(into digest: UnsafeMutableRawBufferPointer) {
    precondition(digest.count == SHA256Digest.byteCount, "a SHA-256 digest has 32 bytes")
    context.finish(into: digest)
  }
}

extension SHA256Digest {
  /// The digest of one message.
  package static func of(_ bytes: [UInt8]) -> SHA256Digest {
    var hasher = SHA256Hasher()
    hasher.update(bytes)
    return hasher.finish()
  }
}
