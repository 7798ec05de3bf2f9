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
      guard let wanted = table.file else { continue }
      let own = rest.filter { table.isNamed($0.name) }
      guard !own.isEmpty || table.isOptional else {
        throw .missingFile(table: table.table, wanted: wanted, path: path)
      }
      guard own.count <= 1 || wanted.contains("*") else {
        throw .doubledFile(table: table.table, files: own.map(\.place))
      }
      found.append(FeedDocuments(table, own, settings))
      rest.removeAll { file in own.contains { $0.place == file.place } }
    }
    found += try named(rest, settings, schema, found)
    let names = Set(found.map { $0.table.lowercased() })
    let absent = settings.tables.filter { $0.isOptional && !names.contains($0.table.lowercased()) }
    found += absent.map { FeedDocuments($0, [], settings) }
    let expected = schema.required.map(\.name) + settings.tables.map(\.table)
    let present = names.union(absent.map { $0.table.lowercased() })
    for table in expected where !present.contains(table.lowercased()) {
      throw .missingFile(table: table, wanted: "\(table).csv, .txt, .ndjson or .json", path: path)
    }
    return found
  }

  /// What nobody wants may be there as often as it likes.
  private static func named(
    _ files: [FeedFile], _ settings: FeedSettings, _ schema: FeedSchema, _ taken: [FeedDocuments]
  ) throws(FeedError) -> [FeedDocuments] {
    let documents = files.filter { FeedName.layout($0.name, empty: settings.emptyFields) != nil }
    let groups = Dictionary(grouping: documents) { FeedName.table($0.name).lowercased() }
    let all = try groups.sorted { $0.key < $1.key }.map { name, files throws(FeedError) -> FeedDocuments? in
      let others = taken.filter { $0.table.lowercased() == name }.flatMap(\.files)
      let said = settings.tables.first { $0.file == nil && $0.table.lowercased() == name }
      if files.count == 1, others.isEmpty {
        return FeedDocuments(said ?? FeedTable(FeedName.table(files[0].name)), files, settings)
      }
      guard schema.wants(name) else { return nil }
      throw .doubledFile(table: FeedName.table(files[0].name), files: (others + files).map(\.place))
    }
    return all.compactMap(\.self)
  }

  /// The type of a column that no model knows: texts of CSV stay what they are, values of JSON have types of their own.
  var otherType: String { files.contains { if case .csv = layout($0) { true } else { false } } ? "TEXT" : "" }

  init(_ table: FeedTable, _ files: [FeedFile], _ settings: FeedSettings) {
    let layout = { (file: FeedFile) in table.layout(ofFile: file.name, empty: settings.emptyFields) }
    (self.table, self.files, self.layout, rows) = (table.table, files, layout, table.rows)
    text = "\(table.rows) \(files.map { "\(layout($0))" })"
  }
}
