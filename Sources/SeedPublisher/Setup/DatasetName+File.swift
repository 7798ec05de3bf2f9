import Foundation
package import SeedFormat

extension DatasetName {
  /// For example, `My Shop.sqlite` becomes `my-shop`, and `2024 Städte.db` becomes `stadte`.
  package init(forFile path: String) throws(InvalidName) {
    let file = path.split(separator: "/").last ?? ""
    let stem = file.lastIndex(of: ".").map { file[..<$0] } ?? file
    let words = Self.folded(String(stem)).split { !"abcdefghijklmnopqrstuvwxyz0123456789".contains($0) }
      .joined(separator: "-")
    let text = words.drop { !$0.isLetter }.prefix(Limits.datasetNameLength)
    let trimmed = String(text.last == "-" ? text.dropLast() : text)
    let isTaken = DeploymentNames.taken.contains(trimmed)
    try self.init(trimmed.isEmpty ? "data" : isTaken ? "\(trimmed)-data" : trimmed)
  }

  private static func folded(_ text: String) -> String {
    let plain = text.lowercased().replacing("ß", with: "ss").decomposedStringWithCanonicalMapping
    return String(String.UnicodeScalarView(plain.unicodeScalars.filter { !$0.properties.isDiacritic }))
  }
}
