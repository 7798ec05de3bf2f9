import SeedFormat
import SeedPublication
import SeedSystem
package import SeedTrust

/// A copy in a bucket. The caller compares its files with the signed digests.
package struct BucketSource: FollowSource {
  private let store: BucketStore
  private let parts: String

  private static let (attempts, pauseSeconds) = (3, 1)

  package init(_ store: BucketStore, parts: String) { (self.store, self.parts) = (store, parts) }

  package var name: String { store.place }

  /// The store does not enforce `limit`; the caller does.
  package func metadata(_ file: String, limit: Int) async throws -> [UInt8]? {
    try await asking { [store] in try store.read("metadata/\(file)")?.bytes }
  }

  package func object(_ object: PublishedObject) async throws -> String {
    let part = "\(parts)/\(object.sha256.hex).part"
    let isThere = try await asking { [store] in
      try store.download(object.filePath, bytes: object.length, to: part)
    }
    guard isThere, try SHA256Digest.ofFile(at: part).digest == object.sha256 else {
      throw Refusal(
        .badData,
        "\(name)/\(object.filePath) is \(isThere ? "not the signed file" : "missing"): ask its operator."
      )
    }
    return part
  }

  private func asking<Answer: Sendable>(_ work: @escaping @Sendable () throws -> Answer) async throws
    -> Answer
  {
    var attempt = 1
    while true {
      do {
        return try await blocking(work)
      } catch MirrorError.away where attempt < Self.attempts {
        attempt += 1
        try await Task.sleep(for: .seconds(Self.pauseSeconds))
      } catch let error as MirrorError { throw MirrorFailure(store.place, error) }
    }
  }
}
