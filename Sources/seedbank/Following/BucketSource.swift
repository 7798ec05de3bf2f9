import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust

#if SEEDBANK_BUCKETS
import SeedMirror
#endif

enum BucketText {
  static let scheme = "s3://"

  /// The store of the mirror with that bucket and prefix, or else of the environment. Nil for any other text.
  static func source(
    _ text: String, parts: String, _ mirrors: [MirrorSettings], _ environment: [String: String]
  ) -> (any FollowSource)? {
    #if SEEDBANK_BUCKETS
    guard text.hasPrefix(scheme) else { return nil }
    let path = text.dropFirst(scheme.count).split(separator: "/").joined(separator: "/")
    let mirror = mirrors.first { $0.bucket?.hasSuffix("/\(path)") == true }
    let store = mirror?.bucketStore(environment) ?? Self.store(path, environment)
    return store.map { BucketSource(store: $0, parts: parts) }
    #else
    return nil
    #endif
  }

  #if SEEDBANK_BUCKETS
  private static func store(_ path: String, _ environment: [String: String]) -> BucketStore? {
    func variable(_ names: String...) -> String? {
      names.compactMap { environment[$0] }.first { !$0.isEmpty }
    }
    let region = variable("AWS_REGION", "AWS_DEFAULT_REGION") ?? MirrorSettings().region
    let server = variable("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL") ?? "https://s3.\(region).amazonaws.com"
    return BucketAddress("\(server)/\(path)", region: region).map { address in
      BucketStore(address) { try BucketCredentials(environment, profile: nil) }
    }
  }
  #endif
}

#if SEEDBANK_BUCKETS
/// A copy in a bucket. The caller compares its files with the signed digests.
private struct BucketSource: FollowSource {
  let store: BucketStore
  let parts: String

  private static let (attempts, pauseSeconds) = (3, 1)

  var name: String { store.place }

  /// The store does not enforce `limit`; the caller does.
  func metadata(_ file: String, limit: Int) async throws -> [UInt8]? {
    try await asking { [store] in try store.read("metadata/\(file)")?.bytes }
  }

  func object(_ object: PublishedObject) async throws -> String {
    let part = "\(parts)/\(object.sha256.hex).part"
    let isThere = try await asking { [store] in
      try store.download(object.filePath, bytes: object.length, to: part)
    }
    guard isThere, try SHA256Digest.ofFile(at: part).digest == object.sha256 else {
      throw CommandFailure(
        .badData,
        "\(name)/\(object.filePath) is \(isThere ? "not the signed file" : "missing"): ask its operator."
      )
    }
    return part
  }

  func forget(_ object: PublishedObject) {}

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
#endif
