package import SeedFormat

/// Names the schema that an app is built for.
package func swiftDeclaration(
  _ dataset: DatasetName, _ model: ModelVersion, schema: SHA256Digest
) -> String {
  """
  nonisolated extension SeedModel {
    static let \(SwiftName.quoted(SwiftName.member(dataset.text))) = SeedModel(
      dataset: "\(dataset)", version: "\(model)",
      schema: "\(schema)")
  }
  """
}

enum SwiftName {
  /// `opening hours` and `opening_hours` become `OpeningHours`.
  static func type(_ name: String) -> String {
    started(words(name).map(capitalized).joined(), otherwise: "Row")
  }

  /// `step_free` becomes `stepFree`, and `ID` becomes `id`.
  static func member(_ name: String) -> String {
    let words = words(name)
    let first = words.first.map { $0 == $0.uppercased() ? $0.lowercased() : lowercased($0) } ?? ""
    return started(first + words.dropFirst().map(capitalized).joined(), otherwise: "column")
  }

  /// `name`, or with `ending` and a number if it is taken.
  static func unused(_ ending: String, _ name: String, in taken: inout Set<String>) -> String {
    let others = (2...).lazy.map { "\(name)\(ending)\($0)" }
    let candidates = [name] + (ending.isEmpty ? [] : [name + ending])
    let found = candidates.first { !taken.contains($0) } ?? others.first { !taken.contains($0) } ?? name
    taken.insert(found)
    return found
  }

  static func quoted(_ identifier: String) -> String {
    keywords.contains(identifier) ? "`\(identifier)`" : identifier
  }

  private static func words(_ name: String) -> [String] {
    name.unicodeScalars.split { !$0.properties.isXIDContinue || $0 == "_" }.map { String($0) }
  }

  private static func capitalized(_ word: String) -> String { word.prefix(1).uppercased() + word.dropFirst() }

  private static func lowercased(_ word: String) -> String { word.prefix(1).lowercased() + word.dropFirst() }

  private static func started(_ text: String, otherwise: String) -> String {
    guard let first = text.unicodeScalars.first else { return otherwise }
    return first.properties.isXIDStart ? text : "_\(text)"
  }

  /// Reserved words in lower case, and names with a special meaning after a dot.
  static let keywords: Set<String> = [
    "as", "associatedtype", "break", "case", "catch", "class", "continue", "default", "defer", "deinit", "do",
    "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if",
    "import", "in", "init", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private",
    "protocol", "public", "repeat", "rethrows", "return", "self", "static", "struct", "subscript", "super",
    "switch", "throw", "throws", "true", "try", "typealias", "var", "where", "while",
  ]
}
