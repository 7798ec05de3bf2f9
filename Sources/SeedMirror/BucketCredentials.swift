package import SeedPublication
import SeedSystem

/// Credentials for a bucket. The description omits the secret.
package struct BucketCredentials: Sendable, CustomStringConvertible {
  let identity: String
  let secret: String
  let token: String?

  package var description: String { "credentials" }

  private static let mostFileBytes = 1024 * 1024

  /// Reads `AWS_ACCESS_KEY_ID` if it is set and there is no `profile`, otherwise the `AWS_SHARED_CREDENTIALS_FILE`.
  package init(_ environment: [String: String], profile: String?) throws(MirrorError) {
    func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    if profile == nil, let identity = variable("AWS_ACCESS_KEY_ID"),
      let secret = variable("AWS_SECRET_ACCESS_KEY")
    {
      self.init(identity: identity, secret: secret, token: variable("AWS_SESSION_TOKEN"))
      return
    }
    guard let file = variable("AWS_SHARED_CREDENTIALS_FILE") else {
      throw .refused(
        "no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or set "
          + "AWS_SHARED_CREDENTIALS_FILE to a file that contains them")
    }
    try self.init(file: file, profile: profile ?? variable("AWS_PROFILE") ?? "default")
  }

  private init(file: String, profile: String) throws(MirrorError) {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try DurableFile.read(file, limit: Self.mostFileBytes)
    } catch { throw .refused("\(error); AWS_SHARED_CREDENTIALS_FILE names it") }
    let found = Self.section(profile, of: String(decoding: bytes, as: UTF8.self))
    guard let identity = found["aws_access_key_id"], let secret = found["aws_secret_access_key"] else {
      throw .refused("\(file) has no aws_access_key_id and aws_secret_access_key in [\(profile)]")
    }
    self.init(identity: identity, secret: secret, token: found["aws_session_token"])
  }

  private init(identity: String, secret: String, token: String?) {
    (self.identity, self.secret, self.token) = (identity, secret, token)
  }

  private static func section(_ name: String, of text: String) -> [String: String] {
    var (isInside, found) = (false, [String: String]())
    for line in text.split(whereSeparator: \.isNewline) {
      let line = line.trimmed
      if line.hasPrefix("[") {
        isInside = line == "[\(name)]"
      } else if isInside, let sign = line.firstIndex(of: "="), !line.hasPrefix("#") {
        found[line[..<sign].trimmed] = line[line.index(after: sign)...].trimmed
      }
    }
    return found
  }
}

extension Substring {
  var trimmed: String {
    let start = drop { $0.isWhitespace }
    return String(start.reversed().drop { $0.isWhitespace }.reversed())
  }
}
