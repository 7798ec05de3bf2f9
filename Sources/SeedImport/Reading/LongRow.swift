import SeedDatabase
import SeedFormat

/// A row that is too long for the tape, as the document has it. It lies in a temporary database, which SQLite removes
/// by itself: so a row of any length takes no more memory than many short ones.
final class LongRow {
  /// Where the document has it, as far as it has come.
  private(set) var range: Range<Int>
  /// The first string in it that is no text.
  var flaw: JSONError?
  private let scratch: Connection
  private let insert: Statement

  /// Bytes that are read together.
  private static let pieceBytes = 256 * 1024

  init(at offset: Int) throws {
    range = offset..<offset
    scratch = try Connection("a long row", .scratch)
    try scratch.execute("CREATE TABLE piece(start INTEGER PRIMARY KEY, bytes BLOB); BEGIN")
    insert = try scratch.prepare("INSERT INTO piece VALUES (?, ?)")
  }

  func append(_ bytes: UnsafeBufferPointer<UInt8>) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = rest.prefix(Self.pieceBytes)
      try insert.run([.integer(Int64(range.upperBound)), .blob(Array(piece))])
      range = range.lowerBound..<range.upperBound + piece.count
      rest = rest.dropFirst(piece.count)
    }
  }

  func pieces(_ range: Range<Int>) throws -> LongRowPieces { try LongRowPieces(range, scratch) }

  func bytes(_ range: Range<Int>) throws -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(range.count)
    let pieces = try pieces(range)
    while let piece = try pieces.next() { bytes += piece }
    return bytes
  }

  /// The row on one line.
  func json() throws -> [UInt8] {
    var (json, isInText, isEscaped) = ([UInt8](), false, false)
    for byte in try bytes(range) {
      if isInText {
        isInText = byte != UInt8(ascii: "\"") || isEscaped
        isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
      } else if byte <= UInt8(ascii: " ") {
        continue
      } else {
        isInText = byte == UInt8(ascii: "\"")
      }
      json.append(byte)
    }
    return json
  }
}

/// A part of a long row, piece by piece.
final class LongRowPieces {
  private let range: Range<Int>
  private let statement: Statement

  init(_ range: Range<Int>, _ scratch: Connection) throws {
    self.range = range
    statement = try scratch.prepare(
      """
      SELECT start, bytes FROM piece \
      WHERE start >= (SELECT max(start) FROM piece WHERE start <= ?) AND start < ? ORDER BY start
      """)
    try statement.bind([.integer(Int64(range.lowerBound)), .integer(Int64(range.upperBound))])
  }

  func next() throws -> ArraySlice<UInt8>? {
    guard try statement.step(), case .integer(let start) = try statement.value(0),
      case .blob(let bytes) = try statement.value(1)
    else { return nil }
    let begin = max(0, range.lowerBound - Int(start))
    return bytes[begin..<min(bytes.count, range.upperBound - Int(start))]
  }

  /// Feeds a scanner; it is complete behind the last piece.
  func feed(_ scanner: inout JSONScanner) throws {
    guard let piece = try next() else { return scanner.complete() }
    piece.withUnsafeBytes { scanner.feed($0) }
  }
}

/// A row of a document while it comes, and what the finder does behind it.
struct LongRowArrival {
  let row: LongRow
  private var passage: JSONPassage

  /// `nil` where what is next is not that long, or no array or object.
  init?(_ source: inout DocumentSource, from fewestBytes: Int) throws {
    guard source.scanner.bytesAhead >= fewestBytes else { return nil }
    passage = JSONPassage()
    guard try passage.enter(&source.scanner) else { return nil }
    let start = source.scanner.offset - 1
    row = try LongRow(at: start)
    try row.append(source.scanner.bytes(start..<start + 1))
  }

  /// Takes what has come; false where that is not all.
  mutating func goOn(_ source: inout DocumentSource) throws -> Bool {
    let start = source.scanner.offset
    defer { row.flaw = passage.flaw }
    do {
      let isWhole = try passage.goOn(&source.scanner, &source.tape)
      try row.append(source.scanner.bytes(start..<source.scanner.offset))
      return isWhole
    } catch let error as JSONError {
      try row.append(source.scanner.bytes(start..<source.scanner.returnToLineEnd(from: start)))
      throw error
    }
  }
}
