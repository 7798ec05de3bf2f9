import SeedDatabase
import SeedFormat
import SeedTrust
import Synchronization

/// A file that is arriving: written and hashed at once.
final class PartialFile: Sendable {
  private let object: PublishedObject
  private let onProgress: @Sendable (SeedProgress) -> Void
  private let arriving: Mutex<Arriving>

  fileprivate struct Arriving: ~Copyable {
    let file: File
    var hasher = SHA256Hasher()
    var length = 0
    var reported = 0

    init(_ file: consuming File) { self.file = file }
  }

  /// Times that progress is reported in the course of one file.
  private static let reports = 100

  init(
    _ path: String, _ object: PublishedObject, _ onProgress: @escaping @Sendable (SeedProgress) -> Void
  ) throws {
    self.object = object
    self.onProgress = onProgress
    arriving = Mutex(Arriving(try File(path, for: .replacing, mode: 0o600)))
  }

  func take(_ bytes: [UInt8]) throws {
    let length: Int? = try arriving.withLock { arriving in
      try arriving.file.write(bytes)
      arriving.hasher.update(bytes)
      arriving.length += bytes.count
      return arriving.isWorthReporting(of: object.length, in: Self.reports) ? arriving.length : nil
    }
    guard let length else { return }
    onProgress(SeedProgress(file: object.fileName, bytes: length, totalBytes: object.length))
  }

  /// Throws unless length and hash are those that were signed.
  func check() throws {
    let found = arriving.withLock { Compression.Measure(length: $0.length, sha256: $0.hasher.finish()) }
    guard found != Compression.Measure(length: object.length, sha256: object.sha256) else { return }
    let difference =
      found.length == object.length
      ? "has another SHA-256 than was signed"
      : "has \(found.length) of the \(object.length) bytes that were signed"
    throw SeedError(.damaged, "the server's \(object.filePath) \(difference)")
  }
}

extension PartialFile.Arriving {
  fileprivate mutating func isWorthReporting(of total: Int, in reports: Int) -> Bool {
    guard length == total || length - reported > total / reports else { return false }
    reported = length
    return true
  }
}
