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
  var withoutPassword: String {
    guard isSound else { return unreadable }
    return rebuilt(user: user.map { "\($0)@" } ?? "") { $0 == Self.passwordFile || !$0.contains("pass") }
  }

  /// Names a file with the password, which is no secret.
  private static let passwordFile = "passfile"

  /// As messages show it: without user and passwords, and without what nobody knows.
  var shown: String { isSound ? rebuilt(user: "", keeping: Self.harmless.contains) : unreadable }

  var hasPassword: Bool { withoutPassword != text }

  /// Whether each part is what it looks like. A password with a sign of its own, such as `/`, makes libpq take parts of it
  /// for a host or a port, and say so.
  var isSound: Bool {
    let (head, query) = (rest.prefix { $0 != "?" }, rest.drop { $0 != "?" }.dropFirst())
    let hosts = head.prefix { $0 != "/" }
    let hasPorts = hosts.split(separator: ",").allSatisfy { host in
      let port = host.reversed().prefix { $0 != ":" && $0 != "]" }
      return port.count == host.count || port.allSatisfy { $0.isASCII && $0.isNumber }
    }
    let hasKeys = query.split(separator: "&").allSatisfy { parameter in
      let key = parameter.prefix { $0 != "=" }
      return !key.isEmpty && key.count < parameter.count
        && key.allSatisfy { $0 == "_" || $0.isASCII && $0.isLowercase }
    }
    let path = head.dropFirst(hosts.count).dropFirst()
    return hasPorts && hasKeys && !rest.contains("@") && !path.contains(":") && text.hasSoundEscapes
  }

  /// Says so, and what to do.
  static let unsoundness =
    "one of which a part cannot be read: in a user's name and a password, write each of the signs : / ? # @ % & as %3A, %2F, "
    + "%3F, %23, %40, %25, %26"

  /// What stands for one that is not sound.
  private var unreadable: String { "\(scheme)…" }

  /// What the database is called; `nil` where it is the user's name.
  var database: String? {
    let name = rest.prefix { $0 != "?" }.drop { $0 != "/" }.dropFirst()
    return name.isEmpty ? nil : String(name)
  }

  private static let harmless: Set = [
    "host", "hostaddr", "port", "dbname", "sslmode", "target_session_attrs", "connect_timeout",
  ]

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

  private func rebuilt(user: String, keeping isKept: (String) -> Bool) -> String {
    let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let kept = parts.dropFirst().flatMap { $0.split(separator: "&") }
      .filter { isKept(String($0.prefix { $0 != "=" })) }
    let query = kept.isEmpty ? "" : "?" + kept.joined(separator: "&")
    return "\(scheme)\(user)\(parts.first ?? "")\(query)"
  }
}

extension String {
  /// Whether each percent sign begins two hexadecimal digits, which stand for no NUL.
  fileprivate var hasSoundEscapes: Bool {
    split(separator: "%", omittingEmptySubsequences: false).dropFirst().allSatisfy { part in
      let digits = part.prefix(2)
      return digits.count == 2 && digits.allSatisfy(\.isHexDigit) && digits != "00"
    }
  }
}

extension ParsedArguments {
  /// A URL that was given, without a password in it.
  func postgresURL(_ name: String) throws(UsageError) -> PostgresURL? {
    guard let text = string(name) else { return nil }
    guard let url = PostgresURL(text) else {
      throw unsuitable(name, "another text", "a URL that begins with postgres://")
    }
    guard url.isSound else { throw unsuitable(name, PostgresURL.unsoundness, "a URL of PostgreSQL") }
    guard !url.hasPassword else {
      throw unsuitable(
        name, url.withoutPassword,
        "a URL without a password, which other users would see among this program's arguments; give it by PGPASSWORD or "
          + "a password file,")
    }
    return url
  }
}
