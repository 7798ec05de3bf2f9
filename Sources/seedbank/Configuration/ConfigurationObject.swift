import SeedFormat

/// The keys of one kind of object; their raw values are what the file says.
protocol ConfigurationKey: RawRepresentable, CaseIterable, Sendable where RawValue == String {}

/// A JSON object that holds no other keys than its own, with typed ways to read them.
struct ConfigurationObject<Key: ConfigurationKey> {
  let place: ConfigurationPlace
  private let members: [JSONMember]

  /// Fails where `value` is no object or has an unknown key. A missing object is an empty one.
  init(_ value: JSONValue?, at place: ConfigurationPlace) throws(ConfigurationError) {
    self.place = place
    members = try (value ?? [:]).commentlessMembers(at: place)
    let known = Key.allCases.map(\.rawValue)
    if let stranger = members.first(where: { !known.contains($0.name) }) {
      throw unknownKey(stranger.name, known, at: place.member(stranger.name))
    }
  }

  /// What the file says about a key, whatever its type.
  func value(_ key: Key) -> JSONValue? { members.first { $0.name == key.rawValue }?.value }

  /// Where a key stands.
  func place(of key: Key) -> ConfigurationPlace { place.member(key.rawValue) }

  func object<Inner>(
    _ key: Key, of kind: Inner.Type = Inner.self
  ) throws(ConfigurationError) -> ConfigurationObject<Inner> {
    try ConfigurationObject<Inner>(value(key), at: place(of: key))
  }

  func integer(
    _ key: Key, in range: ClosedRange<Int>, default fallback: Int
  ) throws(ConfigurationError) -> Int {
    try integer(key, in: range) ?? fallback
  }

  func integer(_ key: Key, in range: ClosedRange<Int>) throws(ConfigurationError) -> Int? {
    let place = place(of: key)
    if let setting = place.override { return try setting.integer(in: range) }
    return try value(key).map { value throws(ConfigurationError) in
      guard case .integer = value else { throw place.error(expected: "a whole number", found: .kind(value)) }
      guard let number = value.integer, range.contains(number) else {
        throw place.error(expected: wholeNumber(in: range), found: .value(value))
      }
      return number
    }
  }

  /// A text that is not empty.
  func text(_ key: Key) throws(ConfigurationError) -> String? {
    let place = place(of: key)
    if let setting = place.override { return try setting.nonEmptyText() }
    return try value(key).map { value throws(ConfigurationError) in try value.text(at: place) }
  }

  /// One of a closed set of words.
  func choice<Word: RawRepresentable & CaseIterable>(
    _ key: Key
  ) throws(ConfigurationError) -> Word? where Word.RawValue == String {
    guard let word = try text(key) else { return nil }
    return try seedbank.choice(word, at: place(of: key))
  }

  /// An absolute path; a relative one in the file starts at the file's folder.
  func path(_ key: Key) throws(ConfigurationError) -> String? {
    let place = place(of: key)
    if let setting = place.override { return try setting.path(from: place.overrides.currentDirectory) }
    return try value(key).map { value throws(ConfigurationError) in
      let text = try value.text(at: place)
      guard Paths.isUsable(text) else { throw place.error(expected: "a path", found: .value(value)) }
      return Paths.absolute(text, from: Paths.folder(of: place.file))
    }
  }

  func path(_ key: Key, default fallback: String) throws(ConfigurationError) -> String {
    try path(key) ?? Paths.absolute(fallback, from: Paths.folder(of: place.file))
  }

  /// The texts of an array, each with its place.
  func texts(_ key: Key) throws(ConfigurationError) -> [(text: String, place: ConfigurationPlace)]? {
    guard let value = value(key) else { return nil }
    let place = place(of: key)
    guard let elements = value.elements else {
      throw place.error(expected: "an array of strings", found: .kind(value))
    }
    var texts: [(text: String, place: ConfigurationPlace)] = []
    for (index, element) in elements.enumerated() {
      texts.append((try element.text(at: place.element(index)), place.element(index)))
    }
    return texts
  }
}

/// A key that no object of this kind has.
func unknownKey(_ name: String, _ known: [String], at place: ConfigurationPlace) -> ConfigurationError {
  guard let nearest = nearestName(to: name, in: known) else {
    return place.error("unknown key, expected one of \(known.joined(separator: ", "))")
  }
  return place.error("unknown key, did you mean \"\(nearest)\"?")
}

func wholeNumber(in range: ClosedRange<Int>) -> String {
  "a whole number from \(range.lowerBound) to \(range.upperBound)"
}
