import SeedFormat
import SeedImport
import SeedPublication
import SeedSystem

/// The files of an import and their mapping. The options, the files' names and the mapping determine the formats.
struct ImportFormats {
  let inputs: [ImportInput]
  let mapping: ImportMapping
  let mappingPath: String?

  init(_ arguments: ParsedArguments, _ context: Context) throws {
    mappingPath = try arguments.path("mapping")
    let written = try mappingPath.map { try Self.mapping(in: $0) }
    let words = arguments.strings("file")
    let files = written?.lists.compactMap(\.file) ?? []
    let takesOthers = written?.lists.allSatisfy { $0.file != nil } != true
    inputs = try ImportInput.all(words, try arguments.paths("file")) { name in
      let hasFormat = Self.format(of: name) != nil
      let isNamed = files.contains { ImportMapping.isFile(name, named: $0) }
      if isNamed || takesOthers && hasFormat { return true }
      if hasFormat { context.console.note("\(name) is skipped, because the mapping does not name it.") }
      return false
    }
    let format = try arguments.choice("format") ?? Self.format(of: inputs, hasFiles: !files.isEmpty)
    mapping = try Self.mapping(arguments, written, format)
  }

  /// All files must have one format, unless the mapping's lists name their files.
  private static func format(of inputs: [ImportInput], hasFiles: Bool) throws -> ImportJob.Format {
    let formats = inputs.map { ($0, format(of: $0.name) ?? .json) }
    guard let first = formats.first, !hasFiles else { return .json }
    if let other = formats.first(where: { $0.1 != first.1 }) {
      throw Refusal(
        .usage,
        "\(first.0.name) and \(other.0.name) have different formats: choose one with --format, or give a mapping whose lists name "
          + "their files.")
    }
    return first.1
  }

  private static func format(of name: String) -> ImportJob.Format? {
    let name = name.lowercased()
    let parts = (name.hasSuffix(".gz") ? name.dropLast(3) : name[...]).split(separator: ".")
    let ending = parts.dropFirst().last.map { $0 == "jsonl" ? "ndjson" : String($0) }
    return ending.flatMap(ImportJob.Format.init(rawValue:))
  }

  private static func mapping(
    _ arguments: ParsedArguments, _ written: ImportMapping?, _ format: ImportJob.Format
  ) throws -> ImportMapping {
    let (table, rows) = (arguments.string("table"), try arguments.string("rows").map(Self.rows))
    var mapping: ImportMapping
    if let written {
      if let option = ["table", "rows"].first(where: { arguments.string($0) != nil }) {
        throw arguments.error("'--\(option)' is for an import without a mapping: omit it.")
      }
      mapping = written
    } else if let table {
      mapping = ImportMapping(TableMapping(table), rows: rows ?? "$")
    } else {
      throw arguments.error("Missing the option '--table <name>'.")
    }
    let option = ["delimiter", "header", "empty"].first { arguments.string($0) != nil }
    let records = format == .ndjson ? [] : mapping.lists.indices.filter { mapping.lists[$0].csv != nil }
    for number in format == .csv ? Array(mapping.lists.indices) : records {
      mapping.lists[number].layout = .csv(try csv(arguments, mapping.lists[number].csv ?? CSVFormat()))
    }
    if let option, format != .csv, records.isEmpty {
      throw arguments.error("'--\(option)' is for CSV: add '--format csv'.")
    }
    // Each line is one row. But if a list has a path to its rows, each line is a document with many rows.
    for number in mapping.lists.indices where format == .ndjson && mapping.lists[number].rows == "$" {
      if case .array = mapping.lists[number].layout { mapping.lists[number].layout = .lines }
    }
    return mapping
  }

  private static func rows(_ text: String) throws -> MemberPath {
    do { return try MemberPath(checking: text) } catch {
      throw Refusal.usage("import", "'--rows' takes a path: \(error.description).")
    }
  }

  /// The mapping's CSV format with the overrides of the command line.
  private static func csv(_ arguments: ParsedArguments, _ format: CSVFormat) throws -> CSVFormat {
    var csv = format
    if let text = arguments.string("delimiter") {
      guard let delimiter = CSVFormat.delimiter(spelled: text) else {
        throw arguments.error("'--delimiter' takes one ASCII character, or tab.")
      }
      csv.delimiter = delimiter
    }
    if let names = arguments.string("header") {
      csv.header = names.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    csv.empty = arguments.choice("empty") ?? csv.empty
    return csv
  }

  private static func mapping(in path: String) throws -> ImportMapping {
    do {
      return try ImportMapping(json: TextFile.bytes(path, for: .readingAny))
    } catch let error as ImportFailure {
      throw Refusal(.configuration, "\(path): \(error.message)".closed)
    }
  }
}

struct ImportInput: Sendable {
  let path: String
  let name: String
  let size: Int?

  static let standardInput = "-"
  private static let inputPath = "/dev/stdin"

  private init(file path: String) throws {
    guard let stamp = try FileStamp(path) else {
      throw Refusal(.inputOutput, "\(path): no such file.")
    }
    (self.path, name, size) = (path, path, stamp.isRegular ? stamp.size : nil)
  }

  private init() { (path, name, size) = (Self.inputPath, "standard input", nil) }

  /// The files from the command line. A folder gives its JSON and CSV files and those that a mapping names.
  static func all(_ words: [String], _ paths: [String], _ isWanted: (String) -> Bool) throws -> [ImportInput]
  {
    var inputs: [ImportInput] = []
    for (word, path) in zip(words, paths) {
      if word == standardInput { inputs.append(ImportInput()) } else { inputs += try at(path, isWanted) }
    }
    return inputs
  }

  private static func at(_ path: String, _ isWanted: (String) -> Bool) throws -> [ImportInput] {
    guard Folder.leadsToFolder(path) else { return [try ImportInput(file: path)] }
    let names = try Folder.names(in: path).filter { !$0.hasPrefix(".") && isWanted($0) }.sorted()
    guard !names.isEmpty else {
      throw Refusal(
        .badData,
        "\(path) has no file to import: no file ends in .json, .ndjson, .jsonl or .csv, with or without .gz, and the "
          + "mapping names none.")
    }
    return try names.map { try ImportInput(file: "\(path)/\($0)") }
  }
}
