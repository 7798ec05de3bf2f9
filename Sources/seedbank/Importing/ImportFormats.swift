import SeedFormat
import SeedImport
import SeedPublication
import SeedSystem

/// The files of an import with their formats, from the options, the files' names and the mapping.
struct ImportFormats {
  let inputs: [ImportInput]
  let format: ImportJob.Format
  let mapping: ImportMapping
  let mappingPath: String?

  init(_ arguments: ParsedArguments, _ context: Context) throws {
    mappingPath = try arguments.path("mapping", from: context.currentDirectory)
    let written = try mappingPath.map { try Self.mapping(in: $0) }
    let words = arguments.strings("file")
    let files = written?.lists.compactMap(\.file) ?? []
    let takesOthers = written?.lists.allSatisfy { $0.file != nil } != true
    var others: [String] = []
    inputs = try ImportInput.all(words, try Self.paths(arguments, context)) { name in
      if files.contains(where: { ImportMapping.isFile(name, named: $0) }) { return true }
      if Self.hasKnownEnding(name), !takesOthers { others.append(name) }
      return takesOthers && Self.hasKnownEnding(name)
    }
    for name in others.sorted() {
      context.console.note("\(name) is not a file of the mapping: skipped.")
    }
    format = try arguments.choice("format") ?? Self.format(of: inputs, hasFiles: !files.isEmpty)
    mapping = try Self.mapping(arguments, written, mappingPath ?? "", format)
  }

  private static func paths(_ arguments: ParsedArguments, _ context: Context) throws -> [String] {
    try arguments.paths("file", from: context.currentDirectory)
  }

  private static func hasKnownEnding(_ name: String) -> Bool {
    let name = bare(name)
    return [".json", ".ndjson", ".jsonl", ".csv"].contains { name.hasSuffix($0) }
  }

  private static func bare(_ name: String) -> String {
    let name = name.lowercased()
    return name.hasSuffix(".gz") ? String(name.dropLast(3)) : name
  }

  /// One format for all files, unless a mapping names the files of its lists and thus their formats.
  private static func format(of inputs: [ImportInput], hasFiles: Bool) throws -> ImportJob.Format {
    let formats = inputs.map { ($0, format(of: $0)) }
    guard let first = formats.first, !hasFiles else { return .json }
    if let other = formats.first(where: { $0.1 != first.1 }) {
      throw Refusal(
        .usage,
        "\(first.0.name) and \(other.0.name) are of two formats: give one with --format, or a mapping whose lists name "
          + "their files.")
    }
    return first.1
  }

  private static func format(of input: ImportInput) -> ImportJob.Format {
    let name = bare(input.name)
    if name.hasSuffix(".csv") { return .csv }
    return name.hasSuffix(".ndjson") || name.hasSuffix(".jsonl") ? .ndjson : .json
  }

  private static func mapping(
    _ arguments: ParsedArguments, _ written: ImportMapping?, _ path: String, _ format: ImportJob.Format
  ) throws -> ImportMapping {
    let (table, rows) = (arguments.string("table"), try arguments.string("rows").map(Self.rows))
    var mapping: ImportMapping
    if let written {
      mapping = written
      try check("table", table, written.lists.map(\.table.table), path)
      try check("rows", rows?.description, written.lists.map(\.rows.description), path)
    } else if let table {
      mapping = ImportMapping(TableMapping(table), rows: rows ?? "$")
    } else {
      throw Refusal.usage("import", "Missing the option '--table <name>'.")
    }
    let option = ["delimiter", "encoding", "header", "empty", "skip", "decimal"].first {
      arguments.string($0) != nil
    }
    let records = format == .ndjson ? [] : mapping.lists.indices.filter { isCSV(mapping.lists[$0]) }
    for number in format == .csv ? Array(mapping.lists.indices) : records {
      mapping.lists[number].layout = .csv(try csv(arguments, mapping.lists[number].layout))
    }
    if let option, format != .csv, records.isEmpty {
      throw Refusal.usage("import", "'--\(option)' is for CSV: add '--format csv'.")
    }
    if format == .ndjson {
      // Lines with a path to their rows are pages: consecutive documents.
      for number in mapping.lists.indices where mapping.lists[number].rows == "$" {
        if case .array = mapping.lists[number].layout { mapping.lists[number].layout = .lines }
      }
    }
    return mapping
  }

  private static func rows(_ text: String) throws -> MemberPath {
    do { return try MemberPath(checking: text) } catch {
      throw Refusal.usage("import", "'--rows' takes a path: \(error.description).")
    }
  }

  /// Throws if an option has another value than the mapping.
  private static func check(_ option: String, _ value: String?, _ mapped: [String], _ path: String) throws {
    guard let value, mapped != [value] else { return }
    let mapped = mapped.joined(separator: ", ")
    throw Refusal.usage(
      "import",
      "'--\(option) \(value)' contradicts the mapping \(path), which has \(mapped): leave the option out.")
  }

  /// The mapping's CSV format with the overrides of the command line.
  private static func csv(
    _ arguments: ParsedArguments, _ layout: ImportMapping.Layout
  ) throws -> CSVFormat {
    var csv = if case .csv(let format) = layout { format } else { CSVFormat() }
    if let text = arguments.string("delimiter") {
      guard let delimiter = CSVFormat.delimiter(spelled: text) else {
        throw Refusal.usage("import", "'--delimiter' takes one ASCII character, or tab.")
      }
      csv.delimiter = delimiter
    }
    if let name = arguments.string("encoding") {
      guard let encoding = CSVFormat.Encoding(named: name) else {
        throw Refusal.usage("import", "'--encoding' takes one of \(CSVFormat.Encoding.names).")
      }
      csv.encoding = encoding
    }
    if let names = arguments.string("header") {
      csv.header = names.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    csv.empty = arguments.choice("empty") ?? csv.empty
    csv.decimal = arguments.choice("decimal") ?? csv.decimal
    csv.skip = try arguments.integer("skip", in: 0...Int.max) ?? csv.skip
    return csv
  }

  private static func isCSV(_ list: ImportMapping.List) -> Bool {
    if case .csv = list.layout { true } else { false }
  }

  private static func mapping(in path: String) throws -> ImportMapping {
    do {
      return try ImportMapping(json: TextFile.bytes(path, for: .readingAny))
    } catch let error as ImportFailure {
      throw Refusal(.configuration, "\(path): \(error.message)".closed)
    }
  }
}

/// One of the documents of an import, in reading order.
struct ImportInput: Sendable {
  let path: String
  let name: String
  let size: Int?

  static let standardInput = "-"
  private static let inputPath = "/dev/stdin"

  private init(file path: String) throws {
    guard let stamp = try FileStamp(path) else {
      throw Refusal(.inputOutput, "\(path): there is no such file.")
    }
    (self.path, name, size) = (path, path, stamp.isRegular ? stamp.size : nil)
  }

  private init() { (path, name, size) = (Self.inputPath, "standard input", nil) }

  /// The files from the command line. A folder means its JSON and CSV files, and those named by a mapping, sorted by name.
  static func all(_ words: [String], _ paths: [String], _ isWanted: (String) -> Bool) throws -> [ImportInput]
  {
    var inputs: [ImportInput] = []
    for (word, path) in zip(words, paths) {
      if word == standardInput { inputs.append(ImportInput()) } else { inputs += try at(path, isWanted) }
    }
    return inputs
  }

  private static func at(_ path: String, _ isWanted: (String) -> Bool) throws -> [ImportInput] {
    guard Folder.isFolder(path) else { return [try ImportInput(file: path)] }
    let names = try Folder.names(in: path).filter { !$0.hasPrefix(".") && isWanted($0) }.sorted()
    guard !names.isEmpty else {
      throw Refusal(
        .badData,
        "\(path) has no file to import: none ends in .json, .ndjson, .jsonl or .csv, with or without .gz, or has a "
          + "name that the mapping's lists have.")
    }
    return try names.map { try ImportInput(file: "\(path)/\($0)") }
  }
}
