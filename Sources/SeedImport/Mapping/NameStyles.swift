import SeedDatabase
import SeedFormat

extension TableMapping.NameStyle {
  /// The column that a member of that name goes to.
  package func columnName(_ member: String) -> String {
    switch self {
    case .identity, .explicit: member
    case .snakeToCamel: Self.camel(member)
    case .camelToSnake: Self.snake(member)
    }
  }

  private static func camel(_ name: String) -> String {
    let parts = name.split(separator: "_")
    guard let first = parts.first else { return name }
    let rest = parts.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }
    return ([String(first)] + rest).joined()
  }

  private static func snake(_ name: String) -> String {
    var result = ""
    for character in name {
      if character.isUppercase, !result.isEmpty { result.append("_") }
      result += character.lowercased()
    }
    return result
  }
}
