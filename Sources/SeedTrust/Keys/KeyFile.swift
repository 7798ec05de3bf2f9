package import SeedFormat
package import SeedSystem

/// A signing key as a file for its owner's eyes only: `{"keytype":"ed25519","private":"…","public":"…"}`.
package struct KeyFile: Sendable {
  /// The key.
  package let key: SigningKey
  /// Whether others than the file's owner may read or write it. The caller decides what to say about that.
  package let isTooOpen: Bool

  /// Bytes of a key file.
  private static let byteLimit = 4096

  /// Reads a key; the public half must belong to the private one.
  package init(reading path: String) throws(KeyFileError) {
    do {
      let file = try File(path, for: .reading)
      isTooOpen = try file.stamp().isOpenToOthers
      key = try Self.key(in: Self.secret(in: file, path))
    } catch let failure as FileError {
      throw .system(failure)
    } catch let reason as MalformedJSON {
      throw .malformed(path: path, reason)
    } catch {
      throw .malformed(path: path, .field(path: "document", reason: "\(error)"))
    }
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

  /// Never in an array, which would leave copies behind.
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

  /// Writes a new file, mode 0600, durably: all of it or nothing, and never over a file that is there.
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

/// Why a key could not be read from or written to a file.
package enum KeyFileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A file of that name exists, and a key is never overwritten.
  case alreadyThere(path: String)
  /// The file is not a key.
  case malformed(path: String, MalformedJSON)
  /// The operating system said no.
  case system(FileError)

  /// One sentence with the file's path; never a part of a secret.
  package var description: String {
    switch self {
    case .alreadyThere(let path): "\(path) exists; move it away, a key is never overwritten"
    case .malformed(let path, let reason): "\(path) is not a key file: \(reason)"
    case .system(let failure): failure.description
    }
  }
}
