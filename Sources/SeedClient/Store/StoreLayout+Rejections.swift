import SeedDatabase
import SeedSystem
import SeedTrust

extension StoreLayout {
  /// Hashes that are remembered; the oldest give way.
  private static let mostRejections = 32
  /// Bytes of a hash and the end of its line.
  private static let lineBytes = 65

  /// Snapshots, and digests of whole states, that are not to be taken again.
  func rejected() throws(FileError) -> Set<SHA256Digest> { Set(try rejectedInOrder()) }

  /// Remembers hashes durably.
  func reject(_ digests: [SHA256Digest]) throws(FileError) {
    let known = try rejectedInOrder().filter { !digests.contains($0) }
    let lines = (known + digests).suffix(Self.mostRejections).map { "\($0.hex)\n" }
    try DurableFile.write(Array(lines.joined().utf8), to: rejections, mode: 0o600)
  }

  private func rejectedInOrder() throws(FileError) -> [SHA256Digest] {
    let limit = Self.mostRejections * Self.lineBytes
    let bytes = try DurableFile.readIfPresent(rejections, limit: limit) ?? []
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap {
      try? SHA256Digest(hex: String($0))
    }
  }
}
