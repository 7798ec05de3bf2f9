import SeedFormat
import SeedPublication
import SeedSystem

protocol SettingsFile: Sendable {
  /// All settings, in the order of writing, reading and documentation.
  static var settings: [Setting<Self>] { get }
  static var usual: Self { get }
  var file: String { get }
  /// Prefix of options and variables; empty for seedbank.json.
  var prefix: String { get }
}

/// A configuration key and its description. A new setting also needs a property, and a row in the article
/// Configuration, whose table `seedbank config keys` prints. CONTRIBUTING.md lists the other places.
struct Setting<File: SettingsFile>: Sendable {
  /// The dotted path in the file: `http.port`.
  let key: String
  let type: String
  /// The default in words, if the value alone does not explain it.
  var usual: String?
  /// A new file omits the setting if it has its default.
  var isSeldom = false
  let meaning: String
  /// Keeps the default if the key is missing.
  let read: @Sendable (inout File, ConfigurationValue) throws(Refusal) -> Void
  let json: @Sendable (File) -> JSONValue

  typealias Field<Value> = any WritableKeyPath<File, Value> & Sendable
}

extension Setting {
  init<Value>(
    _ key: String, _ field: Field<Value>, type: String, usual: String? = nil, isSeldom: Bool = false,
    _ meaning: String, read: @escaping @Sendable (ConfigurationValue) throws(Refusal) -> Value?,
    json: @escaping @Sendable (Value) -> JSONValue
  ) {
    self.init(
      key: key, type: type, usual: usual, isSeldom: isSeldom, meaning: meaning,
      read: { file, value throws(Refusal) in
        if let value = try read(value) { file[keyPath: field] = value }
      },
      json: { json($0[keyPath: field]) })
  }

  static func integer<Number: FixedWidthInteger & Sendable>(
    _ key: String, _ field: Field<Number>, in range: ClosedRange<Int>,
    usual: String? = nil, isSeldom: Bool = false, _ meaning: String
  ) -> Self {
    Self(
      key, field, type: words(range), usual: usual, isSeldom: isSeldom, meaning,
      read: { value throws(Refusal) in try value.integer(in: range).map { Number($0) } },
      json: { JSONValue(Int($0)) })
  }

  static func integer(
    _ key: String, _ field: Field<Int?>, in range: ClosedRange<Int>, usual: String? = nil, _ meaning: String
  ) -> Self {
    Self(
      key, field, type: words(range), usual: usual, meaning,
      read: { value throws(Refusal) in try value.integer(in: range) }, json: { JSONValue($0) })
  }

  static func choice<Word: RawRepresentable & CaseIterable & Sendable>(
    _ key: String, _ field: Field<Word>, isSeldom: Bool = false, _ meaning: String
  ) -> Self where Word.RawValue == String {
    Self(
      key, field, type: Word.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", "), isSeldom: isSeldom,
      meaning, read: { value throws(Refusal) in try value.choice() }, json: { .string($0.rawValue) })
  }

  static func text(
    _ key: String, _ field: Field<String?>, isSeldom: Bool = false, _ meaning: String
  ) -> Self {
    Self(
      key, field, type: "string", isSeldom: isSeldom, meaning,
      read: { value throws(Refusal) in try value.text() }, json: { JSONValue($0) })
  }

  /// An absolute path; the file shows it relative to its folder.
  static func path(_ key: String, _ field: Field<String>, _ meaning: String) -> Self {
    Self(
      key: key, type: "path", meaning: meaning,
      read: { file, value throws(Refusal) in
        if let path = try value.path() { file[keyPath: field] = path }
      },
      json: { .string(Paths.relative($0[keyPath: field], to: Folder.parent(of: $0.file))) })
  }

  static func words(_ range: ClosedRange<Int>) -> String { "\(range.lowerBound) to \(range.upperBound)" }
}

typealias ConfigurationEntry = (path: String, value: JSONValue, source: String)

extension SettingsFile {
  private func document(_ overrides: ConfigurationOverrides) throws(Refusal) -> ConfigurationValue {
    try ConfigurationValue(file: file, prefix: prefix, overrides, keys: Self.settings.map(\.key))
  }

  mutating func read(_ overrides: ConfigurationOverrides) throws(Refusal) {
    let document = try document(overrides)
    for setting in Self.settings { try setting.read(&self, document.value(setting.key)) }
  }

  /// Omits rarely used settings that have their default values.
  var json: JSONValue {
    Self.settings.reduce([:]) { json, setting in
      let value = setting.json(self)
      if value == .null || (setting.isSeldom && value == setting.json(Self.usual)) { return json }
      return json.setting(setting.key.split(separator: ".").map(String.init)[...], to: value)
    }
  }

  func entries(_ overrides: ConfigurationOverrides) throws(Refusal) -> [ConfigurationEntry] {
    let document = try document(overrides)
    return Self.settings.flatMap { setting in
      setting.json(self).leaves(setting.key).map { key, json in
        (prefix + key, json, document.value(key).source)
      }
    }
  }

  static var table: String {
    let rows = settings.map { setting in
      let usual = setting.usual ?? setting.json(Self.usual).tableText
      return "| `\(setting.key)` | \(setting.type) | \(usual) | \(setting.meaning) |"
    }
    return (["| key | type | default | meaning |", "|---|---|---|---|"] + rows).joined(separator: "\n")
  }
}

extension JSONValue {
  fileprivate func leaves(_ path: String) -> [(String, JSONValue)] {
    guard let members else { return [(path, self)] }
    return members.flatMap { $0.value.leaves("\(path).\($0.name)") }
  }

  fileprivate var tableText: String {
    switch self {
    case .null, .array([]), .object([]): "none"
    case .string(let text): "`\(text)`"
    case .array: "`\(text)`"
    default: text
    }
  }
}
