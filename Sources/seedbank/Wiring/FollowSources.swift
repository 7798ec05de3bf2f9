import SeedClient
import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust

import struct Foundation.URL

#if SEEDBANK_BUCKETS
import SeedMirror
#endif

extension PublicationFetcher: FollowSource { var name: String { server } }

extension ParsedArguments {
  /// Makes a source, which keeps incomplete downloads in the folder `parts`.
  typealias SourceMaker = (_ parts: String) throws -> any FollowSource

  /// Validates the sources before anything is created.
  func sources(
    _ name: String, _ context: Context, _ mirrors: [MirrorSettings] = []
  ) throws(Refusal) -> [SourceMaker] {
    try strings(name).map { text throws(Refusal) in
      if let server = Self.address(text) {
        return {
          try PublicationFetcher(server, parts: $0, userAgent: "Seedbank/\(Release.version) (follow)")
        }
      }
      #if SEEDBANK_BUCKETS
      if let store = try bucket(text, mirrors, context.environment) {
        return { StoreSource(store, parts: $0) }
      }
      #endif
      guard Paths.isUsable(text), !text.contains("://") else {
        throw unsuitable(name, text, Self.expectedSource)
      }
      let path = Paths.absolute(text, from: context.currentDirectory)
      try StoreSource.check(folder: path)
      return { StoreSource(folder: path, parts: $0) }
    }
  }

  private static let expectedSource =
    "an address such as https://seeds.example or s3://bucket/prefix, or a folder that holds a publication"

  #if SEEDBANK_BUCKETS
  /// The store of the mirror with this bucket and prefix, or else the environment's; nil if the scheme is not s3.
  private func bucket(
    _ text: String, _ mirrors: [MirrorSettings], _ environment: [String: String]
  ) throws(Refusal) -> BucketStore? {
    let scheme = "s3://"
    let parts = text.dropFirst(scheme.count).split(separator: "/")
    guard text.hasPrefix(scheme), BucketAddress("https://s3/\(parts.joined(separator: "/"))") != nil else {
      return nil
    }
    let mirror = mirrors.first { $0.bucketAddress?.isNamed(parts) == true }
    if let store = mirror?.bucketStore(environment) { return store }
    func variable(_ names: String...) -> String? {
      names.compactMap { environment[$0] }.first { !$0.isEmpty }
    }
    let region = variable("AWS_REGION", "AWS_DEFAULT_REGION") ?? MirrorSettings().region
    let server = variable("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL") ?? "https://s3.\(region).amazonaws.com"
    guard let address = BucketAddress("\(server)/\(parts.joined(separator: "/"))", region: region) else {
      // Omits the server, because its URL may contain a password.
      throw Refusal(
        .configuration,
        "\(text.printable): with the server from AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL or AWS_REGION, this must be "
          + "\(BucketAddress.expected).")
    }
    return BucketStore(address) { try BucketCredentials(environment, profile: nil) }
  }
  #endif
}
