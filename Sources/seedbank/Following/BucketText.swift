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
    return store.map { BucketSource($0, parts: parts) }
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
