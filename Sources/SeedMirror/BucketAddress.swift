import SeedTrust

package struct BucketAddress: Hashable, Sendable {
  package enum Style: String, CaseIterable, Sendable {
    /// `https://s3.example/bucket/prefix`
    case path
    /// `https://bucket.s3.example/prefix`
    case virtual
  }

  /// As the operator wrote it, without a trailing slash.
  package let text: String
  package let region: String
  /// `https://s3.example`.
  let server: String
  /// `/bucket`, or empty.
  let bucket: String
  /// `prefix/`, or empty.
  let prefix: String

  package static let expected =
    "an address such as https://s3.eu-central-1.amazonaws.com/bucket/prefix that contains only letters, digits, '-', "
    + "'.', '_' and '~', and begins with https:// unless the server is this machine"

  /// Returns nil if the address is malformed, contains a user name, or uses http:// for another machine.
  package init?(_ text: String, region: String = "us-east-1", style: Style = .path) {
    guard let end = text.firstRange(of: "://") else { return nil }
    let scheme = text[..<end.lowerBound]
    let parts = text[end.upperBound...].split(separator: "/").map(String.init)
    guard let host = parts.first, parts.dropFirst().allSatisfy(Self.isPlain),
      Self.isPlain(host.filter { $0 != ":" && $0 != "[" && $0 != "]" }), Self.isPlain(region)
    else { return nil }
    let isHere = ["127.0.0.1", "localhost", "[::1]"].contains { host == $0 || host.hasPrefix("\($0):") }
    guard scheme == "https" || (scheme == "http" && isHere) else { return nil }
    guard style == .virtual || parts.count > 1 else { return nil }
    server = "\(scheme)://\(host)"
    bucket = style == .path ? "/\(parts[1])" : ""
    let rest = parts.dropFirst(style == .path ? 2 : 1)
    prefix = rest.map { "\($0)/" }.joined()
    self.text = ([server] + parts.dropFirst()).joined(separator: "/")
    self.region = region
  }

  private static func isPlain(_ part: String) -> Bool {
    !["", ".", ".."].contains(part) && MetadataName.quoted(part) == part
  }

  /// Whether the parts, split from an address such as `s3://bucket/prefix`, are this bucket's name and prefix.
  package func isNamed(_ parts: [Substring]) -> Bool {
    guard let name = parts.first, prefix == parts.dropFirst().map({ "\($0)/" }).joined() else { return false }
    return bucket.isEmpty ? server.contains("://\(name).") : bucket == "/\(name)"
  }

  func url(of path: String) -> String { "\(server)\(bucket)/\(prefix)\(path)" }

  func listURL(_ folder: String, after token: String?) -> String {
    // Sorted, because both sides sign the parameters in that order.
    let query = [
      token.map { "continuation-token=\(MetadataName.quoted($0))" }, "list-type=2",
      "prefix=\(MetadataName.quoted(prefix + folder))",
    ]
    return "\(server)\(bucket.isEmpty ? "/" : bucket)?\(query.compactMap(\.self).joined(separator: "&"))"
  }
}
