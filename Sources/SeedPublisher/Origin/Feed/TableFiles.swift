import SeedDatabase
import SeedFormat
import SeedImport
import SeedSystem
import SeedTrust

/// The files of one table. SeedImport's `DocumentRows` reads their rows; its `RecordReader` and `RecordScan` parse CSV.
struct TableFiles {
  let configured: FeedTable
  let files: [FeedFile]
  let settings: FeedSettings

  var table: String { configured.table }

  func layout(_ file: FeedFile) -> ImportMapping.Layout {
    configured.layout(ofFile: file.name, empty: settings.emptyFields)
  }

  /// The type for columns that no model declares: CSV fields stay text, and JSON values keep their types.
  var otherType: String { files.contains { if case .csv = layout($0) { true } else { false } } ? "TEXT" : "" }

  /// Whether the file may be a licence or a readme: a .txt that neither the operator nor GTFS describes.
  var mayBeProse: Bool {
    guard let file = files.first, FeedName.isText(file.name), !Transit.isTable(table) else { return false }
    return !settings.tables.contains { $0.table.foldedName == table.foldedName }
  }

  /// Whether a file with these columns is prose, because its first line does not name fields.
  func isProse(_ names: [String]) -> Bool {
    mayBeProse && names.count == 1 && !names[0].allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
  }

  /// Groups files by table. Throws if a configured or needed table has several files that no pattern with `*` covers.
  static func all(
    _ files: [FeedFile], _ settings: FeedSettings, _ schema: FeedSchema, in path: String
  ) throws(OriginError) -> [TableFiles] {
    var found: [TableFiles] = []
    let groups = Dictionary(grouping: files) { settings.table(ofFile: $0.name).table.foldedName }
    for (name, files) in groups.sorted(by: { $0.key < $1.key }) {
      // If the configuration names another file for the table, a file named after the table does not replace that file.
      let own = settings.tables.first { $0.table.foldedName == name }
      if files.count == 1, let own, own.file != nil, !own.isNamed(files[0].name) { continue }
      let configured = settings.table(ofFile: files[0].name)
      if files.count == 1
        || configured.file?.contains("*") == true && files.allSatisfy({ configured.isNamed($0.name) })
      {
        found.append(TableFiles(configured: configured, files: files, settings: settings))
      } else if schema.includes(name) || own != nil {
        throw .data(
          "the table \"\(configured.table)\" has several files, \(files.map(\.place).joined(separator: " and ")): remove all but one, "
            + "or name them together with * in origin.tables")
      }
    }
    var present = Set(found.map { $0.table.foldedName })
    for table in settings.tables + schema.required.map({ FeedTable($0.name) })
    where present.insert(table.table.foldedName).inserted {
      guard table.isOptional else {
        let wanted = table.file ?? "\(table.table).csv, .txt, .ndjson or .json"
        throw .data(
          "the feed \(path) has no file for the table \"\(table.table)\" (\(wanted)): put it there, or name it in origin.tables; "
            + "if the file may be absent, which leaves the table empty, add \"optional\": true to \"\(table.table)\" in origin.tables"
        )
      }
      found.append(TableFiles(configured: table, files: [], settings: settings))
    }
    return found
  }

  /// Reads all rows. `before` is the total expanded size of the files that were read earlier. Returns each file's
  /// name with its digest, and the expanded size of all files so far.
  @discardableResult
  func read(into writer: FeedTableWriter, after before: Int = 0) throws -> (files: [String], bytes: Int) {
    var (read, bytes) = ([String](), before)
    do {
      for file in files {
        var hasher = SHA256Hasher()
        bytes = try self.read(file, to: writer, after: bytes) { hasher.update($0) }.bytes
        read.append("\(file.name) \(hasher.finish().hex)")
      }
    } catch let found as NULInText {
      throw OriginError.data(
        "\(place(ofRow: found.row)): column \"\(found.column)\": a string with a NUL character: \(NULInText.remedy)"
      )
    }
    return (read, bytes)
  }

  /// Creates the columns that the first rows contain. Ignores errors, because an unneeded file may be a licence.
  func readColumns(into writer: FeedTableWriter) throws {
    do {
      for file in files {
        do {
          try read(file, to: HeaderChecker(writer), upTo: DocumentRows.rowsTaken)
        } catch is DocumentRows.Enough {}
      }
      // A title of one word may begin prose whose later lines have more fields.
      for file in files where mayBeProse && writer.width == 1 { try read(file, to: HeaderChecker(writer)) }
      if !isProse(writer.names) { try writer.makeColumns() }
    } catch is OriginError {}
  }

  func place(ofRow row: Int) -> String {
    var rest = row
    for file in files {
      do {
        rest -= try read(file, to: HeaderChecker(nil), upTo: rest).rows
      } catch let enough as DocumentRows.Enough { return enough.place } catch { break }
    }
    return "row \(row)"
  }

  /// Reads the rows of one file, and calls `passing` with its stored bytes. Errors include the row's place.
  @discardableResult
  private func read(
    _ file: FeedFile, to receiver: any RowReceiver, upTo most: Int = .max, after before: Int = 0,
    passing: ([UInt8]) -> Void = { _ in }
  ) throws -> (rows: Int, bytes: Int) {
    do {
      let rows = try DocumentRows(file.place, layout(file), rows: configured.rows, for: receiver, upTo: most)
      let bytes = try file.expanded(upTo: settings.mostBytes, after: before, passing: passing) { piece in
        try piece.withUnsafeBytes { try rows.feed($0) }
      }
      try rows.end()
      return (rows.count, bytes)
    } catch let error as ImportFailure { throw OriginError.data(error.message) }
  }
}

extension FeedSettings {
  fileprivate func table(ofFile name: String) -> FeedTable {
    let own = FeedName.table(name)
    return tables.first { $0.isNamed(name) }
      ?? tables.first { $0.file == nil && $0.table.foldedName == own.foldedName } ?? FeedTable(own)
  }
}

/// Discards rows. If there is a `writer`, checks documents against the writer's columns.
private final class HeaderChecker: RowReceiver {
  private let writer: FeedTableWriter?

  init(_ writer: FeedTableWriter?) { self.writer = writer }

  var width: Int { writer?.width ?? 0 }
  func column(_ name: String) -> ReceivedColumn? { writer?.column(name) }
  func flaw(ofHeader names: [String]) -> String? { writer?.flaw(ofHeader: names) }
  func take(_ rows: LentRows) {}
}
