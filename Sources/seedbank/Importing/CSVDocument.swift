import SeedDatabase
import SeedFormat
import SeedImport

/// Turns CSV into lines of JSON, for there is one importer only.
///
/// The first record names the members. Fields are texts, which the importer fits to their columns: leading
/// zeros of text columns stay. An empty field is NULL, except in a TEXT column that must not be NULL.
struct CSVDocument {
  /// Where the latest rows come from.
  let records = CSVRecords()
  private var reader = CSVReader()
  private var header: [CSVField] = []
  private let keepsEmpty: (String) -> Bool

  private struct CSVField {
    let name: [UInt8]
    let keepsEmpty: Bool
  }

  /// `keepsEmpty` says of a member's name whether its column takes empty texts rather than NULL.
  init(keepsEmpty: @escaping (String) -> Bool) { self.keepsEmpty = keepsEmpty }

  mutating func take(_ bytes: [UInt8], _ sink: ([UInt8]) throws -> Void) throws {
    var lines: [UInt8] = []
    var reader = reader
    records.beginPiece()
    try reader.take(bytes) { add($0, at: $1, to: &lines) }
    self.reader = reader
    try sink(lines)
  }

  mutating func end(_ sink: ([UInt8]) throws -> Void) throws {
    var lines: [UInt8] = []
    var reader = reader
    records.beginPiece()
    try reader.end { add($0, at: $1, to: &lines) }
    guard !header.isEmpty else { throw CommandFailure(.badData, "The CSV has no header.") }
    try sink(lines)
  }

  private mutating func add(_ record: [[UInt8]], at start: Int, to lines: inout [UInt8]) {
    guard !header.isEmpty else {
      records.width = record.count
      header = record.map { name in
        let text = String(decoding: name, as: UTF8.self)
        return CSVField(name: quoted(name), keepsEmpty: keepsEmpty(text))
      }
      return
    }
    records.append(start)
    if record.count == header.count {
      append(record, to: &lines)
    } else {
      // No object, so the importer refuses it; and whole, for whoever looks at what was refused.
      lines += "[\(record.map { String(decoding: quoted($0), as: UTF8.self) }.joined(separator: ","))]".utf8
    }
    lines.append(UInt8(ascii: "\n"))
  }

  private func append(_ record: [[UInt8]], to lines: inout [UInt8]) {
    lines.append(UInt8(ascii: "{"))
    for (index, field) in header.enumerated() {
      if index > 0 { lines.append(UInt8(ascii: ",")) }
      lines += field.name
      lines.append(UInt8(ascii: ":"))
      let isNull = record[index].isEmpty && !field.keepsEmpty
      lines += isNull ? Array("null".utf8) : quoted(record[index])
    }
    lines.append(UInt8(ascii: "}"))
  }

  /// Byte by byte, so that what is not UTF-8 stays so, and is refused in its row.
  private func quoted(_ bytes: [UInt8]) -> [UInt8] {
    var text: [UInt8] = [UInt8(ascii: "\"")]
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): text += [UInt8(ascii: "\\"), byte]
      case 0..<0x20: text += "\\u00\(lowerHex([byte]))".utf8
      default: text.append(byte)
      }
    }
    return text + [UInt8(ascii: "\"")]
  }
}

/// What the importer is told of a CSV's records: it sees the lines of JSON that they become.
final class CSVRecords {
  /// Names in the header.
  var width = 0
  private var first = 0
  private var starts: [Int] = []

  /// Forgets the records of the piece before.
  func beginPiece() {
    first += starts.count
    starts.removeAll(keepingCapacity: true)
  }

  func append(_ start: Int) { starts.append(start) }

  /// What issues say of rows.
  var origin: ConvertedRows {
    ConvertedRows { [self] row in
      starts.indices.contains(row - first) ? starts[row - first] : starts.last ?? 0
    } flaw: { [self] count in
      "a record of \(count) fields under \(width) names"
    }
  }
}
