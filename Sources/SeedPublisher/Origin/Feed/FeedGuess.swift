import SeedFormat
import SeedImport

/// Guesses a document's format from its bytes if its name does not determine it.
struct FeedGuess {
  /// Settings to add for its table; `nil` if the file's name suffices.
  private(set) var table: FeedTable?
  private(set) var note = ""
  private(set) var flaw: String?

  /// The largest JSON document, expanded, that is searched for rows.
  private static let mostJSONBytes = 64 * 1024 * 1024

  init(_ file: FeedFile, _ settings: FeedSettings) throws {
    switch FeedName.layout(file.name, empty: settings.emptyFields) {
    case .csv(let format)?:
      var look = CSVLook()
      try file.expanded(upTo: settings.mostBytes) { look.take($0) }
      look.end()
      take(look, format, file)
    case .array?:
      var bytes: [UInt8] = []
      do {
        try file.expanded(upTo: Self.mostJSONBytes) { bytes += $0 }
      } catch OriginError.tooLong { return }
      // The reader reports broken JSON.
      if let value = try? JSONValue(parsing: bytes) { take(value, file) }
    default: break
    }
  }

  private mutating func take(_ look: CSVLook, _ format: CSVFormat, _ file: FeedFile) {
    var (said, format) = ([JSONMember](), format)
    if let delimiter = look.delimiter(usual: format.delimiter) {
      format.delimiter = delimiter
      said.append(JSONMember("delimiter", .string(delimiter == "\t" ? "tab" : String(delimiter))))
    }
    if let encoding = look.encoding {
      format.encoding = encoding
      said.append(JSONMember("encoding", .string(encoding.rawValue)))
    }
    guard !said.isEmpty else { return }
    table = FeedTable(
      FeedName.table(file.name), layout: .csv(format), json: ["csv": .object(said)])
    let words = said.map { "\($0.name) \($0.value.string ?? "")" }.joined(separator: ", ")
    note = "\(file.name) is read with the \(words), as its bytes look: see origin.tables"
  }

  private mutating func take(_ value: JSONValue, _ file: FeedFile) {
    guard value.elements == nil else { return }
    let lists = Self.lists(value, [])
    guard let longest = lists.max(by: { $0.count < $1.count }) else {
      flaw = "it has no list of objects, which would be rows"
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

private struct CSVLook {
  private var start: [UInt8] = []
  private var rest: [UInt8] = []
  private var isUTF8 = true

  private static let mostHeaderBytes = 64 * 1024
  private static let delimiters: [Character] = [",", ";", "\t", "|"]

  mutating func take(_ piece: [UInt8]) {
    start += piece.prefix(Self.mostHeaderBytes - start.count)
    guard let end = piece.lastIndex(of: UInt8(ascii: "\n")) else {
      rest += piece
      return
    }
    rest += piece[...end]
    self.end()
    rest = Array(piece[(end + 1)...])
  }

  mutating func end() { if isUTF8, (try? UTF8Span(validating: rest.span)) == nil { isUTF8 = false } }

  private var header: ArraySlice<UInt8> {
    start.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
  }

  /// Whether the header starts with a UTF-16 byte order mark. The reader rejects such a file with a remedy.
  private var isWide: Bool { header.starts(with: [0xFF, 0xFE]) || header.starts(with: [0xFE, 0xFF]) }

  /// Text that is not UTF-8 is probably Windows-1252.
  var encoding: CSVFormat.Encoding? { isUTF8 || isWide ? nil : .windows1252 }

  /// The most frequent delimiter in the header; `nil` for the usual one.
  func delimiter(usual: Character) -> Character? {
    guard !isWide else { return nil }
    let counts = Self.delimiters.map { ($0, count($0)) }
    guard let most = counts.max(by: { $0.1 < $1.1 }), most.1 > count(usual) else { return nil }
    return most.0
  }

  private func count(_ sign: Character) -> Int {
    var (count, isQuoted) = (0, false)
    for byte in header {
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      if !isQuoted, byte == sign.asciiValue { count += 1 }
    }
    return count
  }
}
