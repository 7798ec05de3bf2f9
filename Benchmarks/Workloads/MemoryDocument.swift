import SeedFormat
import SeedImport

/// Documents that each have one excessive dimension.
enum MemoryDocument: String {
  /// Rows up to a length in bytes.
  case rows
  /// Rejected rows. Two of three wait for a value of another row, the most expensive case.
  case rejects

  var schema: String {
    switch self {
    case .rows:
      TableShape(
        name: "rows", columns: [.integer("id"), .text("title"), .text("body"), .integer("views")]
      ).schema
    case .rejects:
      """
      CREATE TABLE rows(id INTEGER PRIMARY KEY, name TEXT NOT NULL, zone TEXT UNIQUE);
      INSERT INTO rows VALUES (-1, 'first', 'taken')
      """
    }
  }

  var mapping: ImportMapping { ImportMapping("rows") }

  /// The document in chunks that ignore row boundaries.
  func chunks(_ size: Int) -> MemoryChunks {
    MemoryChunks(left: size, countsBytes: self == .rows, append: append)
  }

  private func append(_ id: Int, _ generator: inout DataGenerator, _ chunk: inout [UInt8]) {
    switch self {
    case .rows: Self.appendRow(id, &generator, &chunk)
    case .rejects:
      let bad = id.isMultiple(of: 3) ? "\"id\":\"x\(id)\"" : "\"id\":\(id),\"zone\":\"taken\""
      chunk += "{\(bad),\"name\":\"a name of some length\"}".utf8
    }
  }

  private static func appendRow(_ id: Int, _ generator: inout DataGenerator, _ chunk: inout [UInt8]) {
    chunk += "{\"id\":\(id),\"title\":".utf8
    JSONWriter.append(generator.text(3), to: &chunk)
    chunk += ",\"body\":".utf8
    JSONWriter.append(generator.text(40), to: &chunk)
    chunk += ",\"views\":\(generator.below(100_000))}".utf8
  }
}

/// Chunks of a document, made on demand.
struct MemoryChunks: Sequence, IteratorProtocol {
  private static let chunkBytes = 64 * 1024
  /// Bytes or rows.
  var left: Int
  let countsBytes: Bool
  let append: (Int, inout DataGenerator, inout [UInt8]) -> Void
  private var id = 0
  private var generator = DataGenerator(seed: 1)
  private var isClosed = false

  init(
    left: Int, countsBytes: Bool, append: @escaping (Int, inout DataGenerator, inout [UInt8]) -> Void
  ) {
    (self.left, self.countsBytes, self.append) = (left, countsBytes, append)
  }

  mutating func next() -> [UInt8]? {
    guard !isClosed else { return nil }
    var chunk = id == 0 ? [UInt8(ascii: "[")] : []
    while chunk.count < Self.chunkBytes, left > 0 {
      let start = chunk.count
      id += 1
      if id > 1 { chunk.append(UInt8(ascii: ",")) }
      append(id, &generator, &chunk)
      left -= countsBytes ? chunk.count - start : 1
    }
    if left <= 0 {
      chunk.append(UInt8(ascii: "]"))
      isClosed = true
    }
    return chunk
  }
}
