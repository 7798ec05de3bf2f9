import SeedFormat
import SeedPublication

/// A PostgreSQL database's URL for libpq: `postgres://user@host:port/database?sslmode=verify-full`.
struct PostgresURL: Hashable, Sendable {
  /// As given; may contain a password.
  let text: String

  private static let schemes = ["postgres://", "postgresql://"]

  init?(_ text: String) {
    guard Self.begins(text) else { return nil }
    self.text = text
  }

  static func begins(_ text: String) -> Bool { schemes.contains { text.hasPrefix($0) } }

  var withoutPassword: String {
    guard isSound else { return unreadable }
    return rebuilt(user: user.map { "\($0)@" } ?? "") { $0 == Self.passwordFile || !$0.contains("pass") }
  }

  /// A parameter that names the file with the password. The name is not secret.
  private static let passwordFile = "passfile"

  /// For messages: without user, passwords and unknown parameters.
  var shown: String { isSound ? rebuilt(user: "", keeping: Self.harmless.contains) : unreadable }

  /// Also true if the URL is not sound.
  var hasPassword: Bool {
    withoutPassword != rebuilt(user: userInformation.map { "\($0)@" } ?? "") { _ in true }
  }

  /// Whether the URL can be parsed unambiguously. An unescaped character such as `/` in a password makes libpq take a
  /// part of the password for the host or port, and print it.
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

  static let unsoundness =
    "one that cannot be parsed: in the user's name and the password, write the characters : / ? # @ % & as %3A, %2F, "
    + "%3F, %23, %40, %25, %26"

  private var unreadable: String { "\(scheme)…" }

  /// Nil if the URL names no database. libpq then uses the user's name.
  var database: String? {
    let name = rest.prefix { $0 != "?" }.drop { $0 != "/" }.dropFirst()
    return name.isEmpty ? nil : String(name)
  }

  private static let harmless: Set = [
    "host", "hostaddr", "port", "dbname", "sslmode", "target_session_attrs", "connect_timeout",
  ]

  private var scheme: Substring { text.prefix(Self.schemes.first { text.hasPrefix($0) }?.count ?? 0) }

  /// The part before `@`, if that comes before the first slash.
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
  /// Whether each percent sign precedes two hexadecimal digits other than 00.
  fileprivate var hasSoundEscapes: Bool {
    split(separator: "%", omittingEmptySubsequences: false).dropFirst().allSatisfy { part in
      let digits = part.prefix(2)
      return digits.count == 2 && digits.allSatisfy { $0.isASCII && $0.isHexDigit } && digits != "00"
    }
  }
}

extension ParsedArguments {
  func postgresURL(_ name: String) throws(Refusal) -> PostgresURL? {
    guard let text = string(name) else { return nil }
    guard let url = PostgresURL(text) else {
      throw unsuitable(name, "something else", "a URL that begins with postgres://")
    }
    guard url.isSound else { throw unsuitable(name, PostgresURL.unsoundness, "a URL of PostgreSQL") }
    guard !url.hasPassword else {
      throw unsuitable(
        name, url.withoutPassword,
        "a URL without a password, because other users can see this program's arguments; pass the password in PGPASSWORD or "
          + "a password file,")
    }
    return url
  }
}
