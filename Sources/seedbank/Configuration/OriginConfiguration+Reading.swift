import SeedFormat

enum OriginKey: String, ConfigurationKey {
  case sqlite
}

extension OriginConfiguration {
  /// Reads `{"sqlite": "path"}`.
  init(_ value: JSONValue?, at place: ConfigurationPlace) throws(ConfigurationError) {
    try Self.requireOneKind(value, at: place)
    guard let path = try ConfigurationObject<OriginKey>(value, at: place).path(.sqlite) else {
      throw place.error("expected {\"sqlite\": \"path\"}, found no origin")
    }
    self = .sqlite(path: path)
  }

  private static func requireOneKind(
    _ value: JSONValue?, at place: ConfigurationPlace
  ) throws(ConfigurationError) {
    let kinds = try value?.commentlessMembers(at: place).map(\.name) ?? []
    guard kinds.count <= 1 else {
      throw place.error("expected exactly one kind of origin, found \(kinds.count): \(listed(kinds))")
    }
    guard let stranger = kinds.first, stranger != OriginKey.sqlite.rawValue else { return }
    throw place.error(
      "expected \"\(OriginKey.sqlite.rawValue)\", the only kind of origin that this version reads,"
        + " found \"\(stranger.clipped)\"")
  }

  private static func listed(_ names: [String]) -> String {
    names.map { "\"\($0.clipped)\"" }.joined(separator: ", ")
  }
}
