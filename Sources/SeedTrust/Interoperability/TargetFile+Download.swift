import SeedFormat

extension TargetFile {
  /// Where a repository serves the file, relative to its targets and percent-quoted.
  ///
  /// With consistent snapshots a digest comes before the file's name; `nil` where none is of a known kind.
  package func repositoryPath(of path: String, consistentSnapshot: Bool) -> String? {
    var segments = path.split(separator: "/", omittingEmptySubsequences: false).map { String($0) }
    if consistentSnapshot {
      guard let digest = hashes["sha256"] ?? hashes["sha512"] else { return nil }
      segments[segments.count - 1] = "\(digest).\(segments[segments.count - 1])"
    }
    return segments.map(MetadataName.quoted).joined(separator: "/")
  }

  /// Fails unless the bytes have the signed length and every signed digest, each of a known kind.
  package func check(_ bytes: [UInt8], of path: String) throws(TargetFileError) {
    guard bytes.count == length else {
      throw .lengthMismatch(path: path, signed: length, found: bytes.count)
    }
    if let algorithm = FileHashes.mismatch(in: hashes, of: bytes) {
      throw .hashMismatch(path: path, algorithm: algorithm)
    }
  }
}

/// Why a downloaded file is not the one that was signed.
package enum TargetFileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file has another length.
  case lengthMismatch(path: String, signed: Int, found: Int)
  /// The file has another digest, or the digest is of a kind unknown here.
  case hashMismatch(path: String, algorithm: String)

  /// One sentence: which file, what was found, what was expected.
  package var description: String {
    switch self {
    case .lengthMismatch(let path, let signed, let found):
      "\(path) has \(found) bytes where \(signed) were signed"
    case .hashMismatch(let path, let algorithm): "the \(algorithm) of \(path) does not match the signed one"
    }
  }
}
