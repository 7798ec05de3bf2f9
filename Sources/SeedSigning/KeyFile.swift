package import SeedFormat
package import SeedSystem
package import SeedTrust

/// A signing key in a private file: `{"keytype":"ed25519","private":"…","public":"…"}`.
package struct KeyFile: Sendable {
  package let key: SigningKey
  /// True if other users may read or write the file; the caller decides whether to warn.
  package let isTooOpen: Bool

  private static let byteLimit = 4096

  /// Reads a key; throws if the public half does not match the private one.
  package init(reading path: String, for purpose: File.Purpose = .reading) throws(KeyFileError) {
    do {
      let file = try File(path, for: purpose)
      isTooOpen = try file.stamp().isOpenToOthers
      key = try Self.key(in: Self.secret(in: file, path))
    } catch { throw KeyFileError(error, reading: path) }
  }

  /// Reads the public key from a key file or a `PublicKeyFile`. Opens the path once, because it may be a pipe.
  package static func publicKey(inFileOrPipe path: String) throws(KeyFileError) -> PublicKey {
    do {
      let text = try secret(in: File(path, for: .readingAny), path)
      return try (try? key(in: text))?.publicKey ?? PublicKeyFile.key(in: text.withBytes { Array($0) })
    } catch { throw KeyFileError(error, reading: path) }
  }

  private static func key(in text: SecretBytes) throws(MalformedJSON) -> SigningKey {
    guard let document = SecretDocument(text) else {
      throw .field(path: "document.private", reason: "expected 64 lower-case hexadecimal digits")
    }
    var fields = try JSONObjectReader(parsing: document.rest)
    guard try fields.string("keytype") == "ed25519" else { throw fields.error("keytype", "expected ed25519") }
    let key = SigningKey(seed: document.seed)
    guard try fields.string("public") == key.publicKey.hex else {
      throw fields.error("public", "does not belong to the private key")
    }
    return key
  }

  /// Reads the secret without an array, which would leave copies in memory.
  private static func secret(in file: borrowing File, _ path: String) throws(FileError) -> SecretBytes {
    var count = 0
    let whole = try SecretBytes(count: byteLimit + 1) { buffer throws(FileError) in
      count = try file.read(into: buffer)
    }
    guard count <= byteLimit else { throw FileError("read", path, EFBIG) }
    return SecretBytes(count: count) { buffer in
      whole.withBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }
  }

  /// Writes a new file atomically and durably, with mode 0600; never overwrites a file.
  package static func write(_ key: SigningKey, toNewFile path: String) throws(KeyFileError) {
    guard !Folder.exists(path) else { throw .alreadyThere(path: path) }
    let temporary = path + DurableFile.temporarySuffix
    do throws(FileError) {
      try Folder.remove(temporary)
      let file = try File(temporary, for: .creating, mode: 0o600)
      try SecretDocument.text(of: key).withBytes { bytes throws(FileError) in try file.write(bytes) }
      try file.sync()
      try DurableFile.moveIntoPlace(temporary, path)
    } catch {
      try? Folder.remove(temporary)
      throw .system(error)
    }
  }
}

package enum KeyFileError: Error, Hashable, Sendable, CustomStringConvertible {
  case alreadyThere(path: String)
  case malformed(path: String, MalformedJSON)
  case system(FileError)

  init(_ error: any Error, reading path: String) {
    self =
      switch error {
      case let failure as FileError: .system(failure)
      case let reason as MalformedJSON: .malformed(path: path, reason)
      default: .malformed(path: path, .field(path: "document", reason: "\(error)"))
      }
  }

  package var description: String {
    switch self {
    case .alreadyThere(let path): "\(path) exists; move it elsewhere, because keys are never overwritten"
    case .malformed(let path, let reason): "\(path) is not a key file: \(reason)"
    case .system(let failure): failure.description + (failure.rightsRemedy.map { "; \($0)" } ?? "")
    }
  }
}

/// A key file's text. The secret never becomes a string, because strings leave copies in memory.
private struct SecretDocument {
  private static let member = Array(#""private""#.utf8)
  private static let hexDigits = 2 * SigningKey.byteCount
  /// Replaces the secret while the rest is parsed.
  private static let mask = UInt8(ascii: "0")

  let seed: SecretBytes
  let rest: [UInt8]

  /// Returns nil if there is no member `private` of 64 lower-case hexadecimal digits.
  init?(_ text: SecretBytes) {
    guard let place = text.withBytes(Self.secretPlace) else { return nil }
    seed = SecretBytes(count: SigningKey.byteCount) { memory in
      text.withBytes { Self.decode($0, place, into: memory) }
    }
    rest = text.withBytes { bytes in bytes.indices.map { place.contains($0) ? Self.mask : bytes[$0] } }
  }

  static func text(of key: SigningKey) -> SecretBytes {
    let (head, tail) = (
      Array(#"{"keytype":"ed25519","private":""#.utf8),
      Array(#"","public":"\#(key.publicKey.hex)"}"#.utf8) + [UInt8(ascii: "\n")]
    )
    return SecretBytes(count: head.count + hexDigits + tail.count) { memory in
      memory.copyBytes(from: head)
      key.seed.withBytes { encode($0, into: memory, at: head.count) }
      UnsafeMutableRawBufferPointer(rebasing: memory[(head.count + hexDigits)...]).copyBytes(from: tail)
    }
  }

  private static func secretPlace(_ bytes: UnsafeRawBufferPointer) -> Range<Int>? {
    guard let name = bytes.firstRange(of: member) else { return nil }
    // Skips the punctuation between name and value. The parser of `rest` checks it.
    let signs = Array(" \t\r\n:\"".utf8)
    let start = bytes[name.upperBound...].firstIndex { !signs.contains($0) }
    guard let start, start + hexDigits < bytes.count, bytes[start + hexDigits] == UInt8(ascii: "\""),
      bytes[start..<start + hexDigits].allSatisfy({ hexDigit($0) != nil })
    else { return nil }
    return start..<start + hexDigits
  }

  private static func decode(
    _ text: UnsafeRawBufferPointer, _ place: Range<Int>, into memory: UnsafeMutableRawBufferPointer
  ) {
    for index in memory.indices {
      let at = place.lowerBound + 2 * index
      memory[index] = (hexDigit(text[at]) ?? 0) << 4 | (hexDigit(text[at + 1]) ?? 0)
    }
  }

  private static func encode(
    _ bytes: UnsafeRawBufferPointer, into memory: UnsafeMutableRawBufferPointer, at start: Int
  ) {
    let digits = Array("0123456789abcdef".utf8)
    for index in bytes.indices {
      memory[start + 2 * index] = digits[Int(bytes[index] >> 4)]
      memory[start + 2 * index + 1] = digits[Int(bytes[index] & 0xF)]
    }
  }
}
