import SeedFormat
import SeedPublication
import SeedSystem

extension ConfigurationValue {
  /// A whole file. Rejects keys that are not in `keys`.
  init(file: String, prefix: String, _ overrides: ConfigurationOverrides, keys: [String]) throws(Refusal) {
    let json = try TextFile.json(file).withoutComments
    do throws(MalformedJSON) {
      try Self.check(json, keys)
    } catch { throw Refusal.configuration(error, in: file) }
    self.init(file: file, key: "", prefix: prefix, overrides: overrides, written: json)
  }

  private static func check(_ json: JSONValue, _ keys: [String]) throws(MalformedJSON) {
    var top = try JSONObjectReader(json, at: "")
    let paths = keys.map { $0.split(separator: ".", maxSplits: 1).map(String.init) }
    var group: String?
    for path in paths where path[0] != group {
      group = path[0]
      guard path.count > 1 else {
        _ = top.takeIfPresent(path[0])
        continue
      }
      guard var inner = try top.objectIfPresent(path[0]) else { continue }
      for path in paths where path[0] == group { _ = inner.takeIfPresent(path[1]) }
      try inner.refuseUnread()
    }
    try top.refuseUnread()
  }
}

extension JSONValue {
  /// Omits the operator's comments, which every object may have.
  fileprivate var withoutComments: JSONValue {
    switch self {
    case .object(let members):
      .object(members.filter { $0.name != "$comment" }.map { JSONMember($0.name, $0.value.withoutComments) })
    case .array(let elements): .array(elements.map(\.withoutComments))
    default: self
    }
  }
}

/// The content of a file, or the value of one key. A key's value comes from an option, else an environment variable,
/// else the file.
struct ConfigurationValue {
  let file: String
  let key: String
  let prefix: String
  let overrides: ConfigurationOverrides
  let written: JSONValue?

  private var override: SettingOverride? { overrides[prefix + key] }
  private var said: JSONValue? { override.map { .string($0.text) } ?? written }

  func value(_ key: String) -> Self {
    Self(
      file: file, key: key, prefix: prefix, overrides: overrides,
      written: key.split(separator: ".").reduce(written) { $0?[String($1)] })
  }

  var isOverridden: Bool { override != nil }

  var variable: String { ConfigurationOverrides.variable(for: prefix + key) }

  var source: String { override?.source ?? (written == nil ? "default" : file) }

  /// A list's or an object's value, which only files can set.
  func listed() throws(Refusal) -> JSONValue? {
    if isOverridden { throw error("lists and objects can only be set in files") }
    return written
  }

  func error(_ problem: String) -> Refusal {
    Refusal.configuration(override?.source ?? file, path: key, problem)
  }

  /// An object's members. Rejects names that are not in `names`.
  func members(_ names: [String]? = nil) throws(Refusal) -> [(name: String, value: Self)] {
    let listed = try listed()
    do throws(MalformedJSON) {
      var object = try JSONObjectReader(listed ?? [:], at: key)
      guard let names else { return object.unread.map { ($0.name, part(".\($0.name)", $0.value)) } }
      let members = names.map { ($0, part(".\($0)", object.takeIfPresent($0))) }
      try object.refuseUnread()
      return members
    } catch { throw Refusal.configuration(error, in: file) }
  }

  /// A part of a list or an object, which only files can set.
  private func part(_ name: String, _ written: JSONValue?) -> Self {
    let none = ConfigurationOverrides(currentDirectory: overrides.currentDirectory)
    return Self(file: file, key: key + name, prefix: prefix, overrides: none, written: written)
  }

  func integer(in range: ClosedRange<Int>) throws(Refusal) -> Int? {
    guard let said else { return nil }
    let number = override.map { canonicalDecimal($0.text, in: range) } ?? said.integer
    if let number, range.contains(number) { return number }
    if override == nil, said.integer == nil { throw error("expected a whole number, found \(said.kind)") }
    throw error(
      "expected a whole number from \(range.lowerBound) to \(range.upperBound), found \(said.text.clipped)")
  }

  func flag() throws(Refusal) -> Bool? {
    guard let said else { return nil }
    if let word = override?.text, let value = Bool(word) { return value }
    if override == nil, let value = said.bool { return value }
    throw error("expected true or false, found \(said.text.clipped)")
  }

  func text() throws(Refusal) -> String? {
    guard let said else { return nil }
    guard let text = said.string else { throw error("expected a string, found \(said.kind)") }
    guard !text.isEmpty else { throw error("expected a string that is not empty, found an empty one") }
    return text
  }

  func choice<Word: RawRepresentable & CaseIterable>() throws(Refusal) -> Word?
  where Word.RawValue == String {
    guard let text = try text() else { return nil }
    if let word = Word(rawValue: text) { return word }
    throw error("expected \(alternatives(Word.allCases.map(\.rawValue))), found \"\(text.clipped)\"")
  }

  /// An absolute path. Relative paths start at the file's folder, but in options and variables at the current folder.
  func path() throws(Refusal) -> String? {
    guard let text = try text() else { return nil }
    guard Paths.isUsable(text) else {
      throw error("expected a path, found \(JSONValue.string(text).text.clipped)")
    }
    return Paths.absolute(text, from: override == nil ? Folder.parent(of: file) : overrides.currentDirectory)
  }

  func elements() throws(Refusal) -> [Self]? {
    guard let listed = try listed() else { return nil }
    guard let elements = listed.elements else { throw error("expected an array, found \(listed.kind)") }
    return elements.enumerated().map { part("[\($0)]", $1) }
  }

  /// The words of a variable, separated by commas; nil if the value is not overridden.
  private var words: [Self]? {
    override.map { variable in
      variable.text.split(separator: ",").map { word in
        var words = overrides
        words.options.append(SettingOverride(path: variable.path, source: variable.source, text: "\(word)"))
        return Self(file: file, key: key, prefix: prefix, overrides: words, written: nil)
      }
    }
  }

  /// The distinct values of an array's elements. A variable can set the list only if `isVariable`.
  func list<Element: Equatable>(
    orVariable isVariable: Bool = false, _ read: (Self) throws(Refusal) -> Element?
  ) throws(Refusal) -> [Element]? {
    let parts = if isVariable, let words { words } else { try elements() }
    guard let values = parts else { return nil }
    var elements: [Element] = []
    for value in values {
      guard let element = try read(value) else { continue }
      guard !elements.contains(element) else {
        throw value.error("expected each entry once, found \(value.said?.text.clipped ?? "one") again")
      }
      elements.append(element)
    }
    return elements
  }
}

extension Refusal {
  /// `problem` gives the value expected and the value found, without a full stop.
  static func configuration(_ source: String, path: String = "", _ problem: String) -> Self {
    let parts = [source.printable, path.printable, problem].filter { !$0.isEmpty }
    return Self(.configuration, parts.joined(separator: ": ") + (problem.hasSuffix("?") ? "" : "."))
  }

  static func configuration(_ error: MalformedJSON, in file: String) -> Self {
    switch error {
    case .field(let path, let reason): configuration(file, path: path, reason)
    case .syntax(let error): configuration(file, error.reason)
    }
  }
}
