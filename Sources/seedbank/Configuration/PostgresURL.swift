import SeedFormat

/// Where a PostgreSQL database is, as libpq reads it: `postgres://user@host:port/database?sslmode=verify-full`.
struct PostgresURL: Hashable, Sendable {
  /// As it was given; a password may be in it.
  let text: String

  private static let schemes = ["postgres://", "postgresql://"]

  /// `nil` where it does not begin as one.
  init?(_ text: String) {
    guard Self.begins(text) else { return nil }
    self.text = text
  }

  static func begins(_ text: String) -> Bool { schemes.contains { text.hasPrefix($0) } }

  /// As it may stand in a file: without passwords.
  var withoutPassword: String { rebuilt(user: user.map { "\($0)@" } ?? "", leavingOut: Self.secrets) }

  /// As messages show it: without user and passwords.
  var shown: String { rebuilt(user: "", leavingOut: Self.secrets + ["user"]) }

  var hasPassword: Bool { withoutPassword != text }

  /// What the database is called; `nil` where it is the user's name.
  var database: String? {
    let name = rest.prefix { $0 != "?" }.drop { $0 != "/" }.dropFirst()
    return name.isEmpty ? nil : String(name)
  }

  private static let secrets = ["password", "sslpassword"]

  private var scheme: Substring { text.prefix(Self.schemes.first { text.hasPrefix($0) }?.count ?? 0) }

  /// The part before an `@`, which stands before the first slash.
  private var userInformation: Substring? {
    let body = text.dropFirst(scheme.count)
    let head = body.prefix { $0 != "@" && $0 != "/" }
    return body.dropFirst(head.count).first == "@" ? head : nil
  }

  private var user: Substring? { userInformation?.prefix { $0 != ":" } }

  private var rest: Substring {
    let body = text.dropFirst(scheme.count)
    return userInformation.map { body.dropFirst($0.count + 1) } ?? body
  }

  private func rebuilt(user: String, leavingOut keys: [String]) -> String {
    let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let kept = parts.dropFirst().flatMap { $0.split(separator: "&") }.filter { parameter in
      let key = String(parameter.prefix { $0 != "=" })
      return !keys.contains(key.removingPercentEscapes)
    }
    let query = kept.isEmpty ? "" : "?" + kept.joined(separator: "&")
    return "\(scheme)\(user)\(parts.first ?? "")\(query)"
  }
}

extension String {
  /// With each `%41` made an `A`.
  fileprivate var removingPercentEscapes: String {
    var bytes: [UInt8] = []
    var rest = Array(utf8)[...]
    while let first = rest.popFirst() {
      let digits = String(decoding: rest.prefix(2), as: UTF8.self)
      guard first == UInt8(ascii: "%"), let byte = UInt8(digits, radix: 16) else {
        bytes.append(first)
        continue
      }
      bytes.append(byte)
      rest = rest.dropFirst(2)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
