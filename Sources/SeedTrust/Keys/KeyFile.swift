import SeedFormat

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

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
      let file = try OpenFile(reading: path)
      isTooOpen = try file.permissions() & 0o077 != 0
      key = try Self.key(in: file.readSecret(limit: Self.byteLimit))
    } catch let failure as FileFailure {
      throw .system(failure)
    } catch let reason as Malformation {
      throw .malformed(path: path, reason)
    } catch {
      throw .malformed(path: path, .field(path: "document", reason: "\(error)"))
    }
  }

  private static func key(in text: SecretBytes) throws(Malformation) -> SigningKey {
    guard let document = SecretDocument(text) else {
      throw .field(path: "document.private", reason: "expected 64 lower-case hexadecimal digits")
    }
    var fields = try FieldReader(parsing: document.rest)
    guard try fields.string("keytype") == "ed25519" else { throw fields.error("keytype", "expected ed25519") }
    let key = SigningKey(seed: document.seed)
    guard try fields.string("public") == key.publicKey.hex else {
      throw fields.error("public", "does not belong to the private key")
    }
    return key
  }

  /// Ends the name of a file that a crash may leave behind.
  package static let temporarySuffix = ".tmp"

  /// Writes a new file, mode 0600, durably: all of it or nothing, and never over a file that is there.
  package static func write(_ key: SigningKey, toNewFile path: String) throws(KeyFileError) {
    guard access(path, F_OK) != 0 else { throw .alreadyThere(path: path) }
    let temporary = path + temporarySuffix
    do throws(FileFailure) {
      unlink(temporary)
      try OpenFile(creatingSecret: temporary).writeDurably(SecretDocument.text(of: key))
      guard rename(temporary, path) == 0 else {
        throw FileFailure(operation: "rename", path: temporary, code: errno)
      }
      try OpenFile(reading: directory(of: path)).synchronize()
    } catch {
      unlink(temporary)
      throw .system(error)
    }
  }

  private static func directory(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}

/// Why a key could not be read from or written to a file.
package enum KeyFileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A file of that name exists, and a key is never overwritten.
  case alreadyThere(path: String)
  /// The file is not a key.
  case malformed(path: String, Malformation)
  /// The operating system said no.
  case system(FileFailure)

  /// One sentence with the file's path; never a part of a secret.
  package var description: String {
    switch self {
    case .alreadyThere(let path): "\(path) exists; move it away, a key is never overwritten"
    case .malformed(let path, let reason): "\(path) is not a key file: \(reason)"
    case .system(let failure): failure.description
    }
  }
}
