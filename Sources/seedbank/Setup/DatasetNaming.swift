import Foundation
import SeedFormat

/// Finds a dataset's name for a file.
enum DatasetNaming {
  /// Folders of a deployment that a dataset's folder would collide with.
  static let taken = [
    DeploymentConfiguration.Usual.publication, DeploymentConfiguration.Usual.state,
    DeploymentConfiguration.Usual.keys,
  ]

  /// `My Shop.sqlite` becomes `my-shop`, `2024 Städte.db` becomes `stadte`.
  static func name(forFile path: String) throws(InvalidName) -> DatasetName {
    let file = path.split(separator: "/").last ?? ""
    let stem = file.lastIndex(of: ".").map { file[..<$0] } ?? file
    let words = folded(String(stem)).split { !isAllowed($0) }.joined(separator: "-")
    let text = words.drop { !$0.isLetter }.prefix(Limits.datasetNameLength)
    let trimmed = String(text.trimmingSuffix("-"))
    if trimmed.isEmpty { return "data" }
    return try DatasetName(taken.contains(trimmed) ? "\(trimmed)-data" : trimmed)
  }

  /// In lower case, without accents.
  private static func folded(_ text: String) -> String {
    let plain = text.lowercased().replacing("ß", with: "ss").decomposedStringWithCanonicalMapping
    return String(String.UnicodeScalarView(plain.unicodeScalars.filter { !$0.properties.isDiacritic }))
  }

  private static func isAllowed(_ character: Character) -> Bool {
    ("a"..."z").contains(character) || ("0"..."9").contains(character)
  }
}

extension Substring {
  fileprivate func trimmingSuffix(_ character: Character) -> Substring {
    var rest = self
    while rest.last == character { rest.removeLast() }
    return rest
  }
}
