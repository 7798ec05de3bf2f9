/// The names in a dataset's folder and in the folders of its models.
package enum ModelFolder {
  package static let schemaFileName = "schema.sql"
  package static let suffix = ".sql"

  static func canHold(_ table: String) -> Bool {
    let file = "\(table)\(suffix)"
    return file != schemaFileName && !file.hasPrefix(".")
      && !file.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
      && file.utf8.count <= longestFileName
  }

  /// Bytes; the limit of Linux's and Apple's file systems.
  private static let longestFileName = 255

  package static func parent(inDataset folder: String) -> String { "\(folder)/models" }
}
