import SeedFormat
import SeedImport

/// The documents of one table, in the order in which they are read.
struct FeedDocuments {
  let table: String
  let files: [FeedFile]
  let layout: (FeedFile) -> ImportMapping.Layout
  let rows: MemberPath
  /// Differs where the same bytes would be read in another way.
  let text: String

  /// Which files make which table. A file that belongs to none is passed over.
  static func all(
    _ files: [FeedFile], _ settings: FeedSettings, _ schema: FeedSchema, in path: String
  ) throws(FeedError) -> [FeedDocuments] {
    var (found, rest): ([FeedDocuments], [FeedFile]) = ([], files)
    for table in settings.tables {
      let own = rest.filter { ImportMapping.isFile($0.name, named: table.file) }
      guard !own.isEmpty else {
        throw .missingFile(table: table.table, wanted: table.file, path: path)
      }
      guard own.count == 1 || table.file.contains("*") else {
        throw .doubledFile(table: table.table, files: own.map(\.place))
      }
      found.append(FeedDocuments(table, own, settings))
      rest.removeAll { file in own.contains { $0.place == file.place } }
    }
    found += try named(rest, settings, found)
    let names = Set(found.map { $0.table.lowercased() })
    for table in schema.required where !names.contains(table.name.lowercased()) {
      throw .missingFile(table: table.name, wanted: "\(table.name).csv, .txt, .ndjson or .json", path: path)
    }
    return found
  }

  private static func named(
    _ files: [FeedFile], _ settings: FeedSettings, _ taken: [FeedDocuments]
  ) throws(FeedError) -> [FeedDocuments] {
    let documents = files.filter { FeedName.layout($0.name, empty: settings.emptyFields) != nil }
    let groups = Dictionary(grouping: documents) { FeedName.table($0.name).lowercased() }
    return try groups.sorted { $0.key < $1.key }.map { name, files throws(FeedError) in
      let others = taken.filter { $0.table.lowercased() == name }.flatMap(\.files)
      guard files.count == 1, others.isEmpty else {
        throw .doubledFile(table: FeedName.table(files[0].name), files: (others + files).map(\.place))
      }
      return FeedDocuments(FeedTable(FeedName.table(files[0].name), file: ""), files, settings)
    }
  }

  /// The type of a column that no model knows: texts of CSV stay what they are, values of JSON have types of their own.
  var otherType: String { files.contains { if case .csv = layout($0) { true } else { false } } ? "TEXT" : "" }

  private init(_ table: FeedTable, _ files: [FeedFile], _ settings: FeedSettings) {
    let empty = settings.emptyFields
    let layout = { (file: FeedFile) in
      table.layout ?? FeedName.layout(file.name, empty: empty) ?? .csv(CSVFormat(empty: empty))
    }
    (self.table, self.files, self.layout, rows) = (table.table, files, layout, table.rows)
    text = "\(table.rows) \(files.map { "\(layout($0))" })"
  }
}
