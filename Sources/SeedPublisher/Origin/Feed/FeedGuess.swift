import SeedFormat
import SeedImport

/// Guesses a document's format from its content if the file name does not determine the format.
struct FeedGuess {
  /// The settings to add for the document's table; `nil` if the file name suffices.
  private(set) var table: FeedTable?
  private(set) var note = ""
  private(set) var flaw: String?

  /// The expanded size of the largest JSON document that is searched for rows.
  private static let mostJSONBytes = 64 * 1024 * 1024
  private static let mostHeaderBytes = 64 * 1024
  private static let delimiters: [Character] = [",", ";", "\t", "|"]

  init(_ file: FeedFile, _ settings: FeedSettings) throws {
    switch FeedName.layout(file.name, empty: settings.emptyFields) {
    case .csv(let format)?:
      var start: [UInt8] = []
      try file.expanded(upTo: settings.mostBytes) { start += $0.prefix(Self.mostHeaderBytes - start.count) }
      take(header: start.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }, format, file)
    case .array?:
      var bytes: [UInt8] = []
      do {
        try file.expanded(upTo: Self.mostJSONBytes) { bytes += $0 }
      } catch OriginError.tooLong { return }
      // Broken JSON is reported later, by the reader.
      if let value = try? JSONValue(parsing: bytes) { take(value, file) }
    default: break
    }
  }

  /// Takes the most frequent delimiter in the header.
  private mutating func take(header: ArraySlice<UInt8>, _ format: CSVFormat, _ file: FeedFile) {
    let counts = Self.delimiters.map { ($0, Self.count($0, header)) }
    guard let (delimiter, count) = counts.max(by: { $0.1 < $1.1 }),
      count > Self.count(format.delimiter, header)
    else { return }
    var format = format
    format.delimiter = delimiter
    let spelled = delimiter == "\t" ? "tab" : String(delimiter)
    table = FeedTable(
      FeedName.table(file.name), layout: .csv(format), json: ["csv": ["delimiter": .string(spelled)]])
    note =
      "\(file.name) is read with the delimiter \(spelled), guessed from its content: to change it, see origin.tables"
  }

  private static func count(_ sign: Character, _ header: ArraySlice<UInt8>) -> Int {
    var (count, isQuoted) = (0, false)
    for byte in header {
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      if !isQuoted, byte == sign.asciiValue { count += 1 }
    }
    return count
  }

  private mutating func take(_ value: JSONValue, _ file: FeedFile) {
    guard value.elements == nil else { return }
    let lists = Self.lists(value, [])
    guard let longest = lists.max(by: { $0.count < $1.count }) else {
      flaw = "it has no list of objects to use as rows"
      return
    }
    let rows = MemberPath(names: longest.path)
    table = FeedTable(FeedName.table(file.name), rows: rows, json: ["rows": .string(rows.description)])
    let others = lists.count > 1 ? ", the longest of \(lists.count) lists" : ""
    note = "\(file.name): its rows are in \(rows)\(others): see origin.tables"
  }

  private static let deepest = 3

  private static func lists(_ value: JSONValue, _ path: [String]) -> [(path: [String], count: Int)] {
    if let elements = value.elements {
      return elements.allSatisfy { $0.members != nil } ? [(path, elements.count)] : []
    }
    guard path.count < deepest else { return [] }
    return (value.members ?? []).flatMap { lists($0.value, path + [$0.name]) }
  }
}
