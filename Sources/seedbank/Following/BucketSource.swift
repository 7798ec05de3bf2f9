import SeedFormat
import SeedServer
import SeedSystem
import SeedTrust

#if SEEDBANK_BUCKETS
import SeedMirror
#endif

/// Reads `s3://bucket/prefix`, a bucket that is read with credentials.
enum BucketText {
  static let scheme = "s3://"

  /// The store of a mirror that ends in that bucket and prefix; else the one that the environment names. `nil` where the text is
  /// no such address, or this build has no buckets.
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
  /// By the variables that other programs for buckets read as well.
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
/// A copy in a bucket. What it yields is compared with what was signed.
private struct BucketSource: FollowSource {
  let store: BucketStore
  let parts: String

  /// Attempts of one request, where none is answered, and seconds between them.
  private static let (attempts, pauseSeconds) = (3, 1)

  var name: String { store.place }

  /// A store keeps no answer within the limit; whoever asked measures it.
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
        "\(name)/\(object.filePath) is \(isThere ? "not the file that was signed" : "missing"): tell its operator."
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
