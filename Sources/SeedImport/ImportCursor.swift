import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

/// How far an import in batches came, in a file beside the database.
///
/// The file is there before the first batch is committed, and moves on behind each: a crash in between repeats one
/// batch, which changes nothing, for the rows are there. It belongs to one mapping and to the bytes that were read:
/// with others, nothing is passed over. It goes when the checks of the whole have passed; until then it tells
/// whoever imports next which tables hold rows that were never checked.
package final class ImportCursor {
  private let path: String
  private let mapping: SHA256Digest
  private let tables: [String]
  private let earlier: CursorState?
  /// Whether rows come that an earlier run took in.
  private(set) var isPassing: Bool
  /// Whether any batch is committed, by this run or an earlier one, whose rows are not checked.
  private(set) var isWritten: Bool
  private(set) var committed: Int
  private var content = ConsumedContent()
  private var document = -1

  /// Where imports look for the cursor of an earlier one, and where the command keeps its own.
  package static func path(beside database: String) -> String { database + ".import-cursor" }

  /// `nil` where all is one transaction; `tables` are all that the mapping fills.
  init?(_ atomicity: ImportPolicy.Atomicity, _ mapping: ImportMapping, tables: [String]) throws {
    guard case .batched(_, let path) = atomicity else { return nil }
    self.path = path
    self.mapping = mapping.digest
    self.tables = tables
    earlier = try CursorState(path)
    isWritten = earlier != nil
    committed = earlier?.rows ?? 0
    isPassing = committed > 0
    guard let earlier, earlier.mapping != self.mapping || earlier.tables != tables else { return }
    throw misfit("this import has another mapping or other tables", earlier)
  }

  // MARK: Documents

  func beginDocument() { document += 1 }

  func willFeed(_ scanner: borrowing JSONScanner) { content.take(scanner, upTo: scanner.offset) }

  /// Ends the document; one that ends within the rows that are in is not the one that it was.
  func endDocument(_ scanner: borrowing JSONScanner) throws {
    content.endDocument(scanner)
    if document == earlier?.document { try checkWasReached() }
  }

  /// True if an earlier run took in the row just read. After the last of those, the digest must be that run's.
  func passes(_ row: Int, _ scanner: borrowing JSONScanner) throws -> Bool {
    guard isPassing, let earlier else { return false }
    guard document == earlier.document, row + 1 >= earlier.row else { return true }
    content.take(scanner, upTo: scanner.offset)
    guard scanner.offset == earlier.offset, content.digest == earlier.content else {
      throw misfit("this import has other documents", earlier)
    }
    isPassing = false
    return true
  }

  /// A cursor that no document led to would have passed all rows over.
  func checkWasReached() throws {
    if isPassing, let earlier { throw misfit("the documents of this import are shorter", earlier) }
  }

  private func misfit(_ what: String, _ earlier: CursorState) -> ImportFailure {
    ImportFailure(
      .document,
      "\(path) says that \(earlier.rows) rows of an earlier import are committed, the last of them from \(earlier.name), "
        + "but \(what): repeat that import to complete it, or remove the file and import from the start, "
        + "in batches")
  }

  // MARK: Batches

  /// Says, before the first batch is committed, that the tables will hold rows that are not checked.
  func announce(_ place: RowPlace) throws {
    guard !isWritten else { return }
    try CursorState(mapping: mapping, tables: tables, name: place.document, content: content.digest)
      .write(to: path)
    isWritten = true
  }

  /// The row at `place` and all before it are committed.
  func advance(to place: RowPlace, _ scanner: borrowing JSONScanner, rows: Int, rejects: Int?) throws {
    content.take(scanner, upTo: scanner.offset)
    committed = (earlier?.rows ?? 0) + rows
    let state = CursorState(
      mapping: mapping, tables: tables, document: document, name: place.document, row: place.row + 1,
      offset: scanner.offset, rows: committed, rejects: rejects ?? earlier?.rejects, content: content.digest)
    try state.write(to: path)
  }

  /// How long the file of rejected rows was, when the last of those rows was committed that this run passes over.
  var rejects: Int? { earlier?.rejects }

  func remove() throws { try Folder.remove(path) }

  var remainder: String? {
    guard committed > 0, !isPassing else { return nil }
    return "\(committed) rows of the documents were committed before and stay: "
      + "repeat the import to continue after them, by \(path)"
  }
}

/// What an import in batches left beside the database: tables with rows that were never checked.
struct ImportLeftover {
  private let path: String
  private let state: CursorState

  init?(beside database: String) throws {
    path = ImportCursor.path(beside: database)
    guard !database.isEmpty, let state = try CursorState(path) else { return nil }
    self.state = state
  }

  var tables: [String] { state.tables }

  var explanation: String {
    "an earlier import in batches was interrupted, so its tables, listed in \(path), are checked too"
  }

  /// The tables are checked now. An import with the same mapping has taken the place of the one that was broken
  /// off; any other leaves it what it needs to go on.
  func settle(_ mapping: ImportMapping) throws {
    if state.mapping == mapping.digest { try Folder.remove(path) }
  }
}

struct CursorState {
  let mapping: SHA256Digest
  let tables: [String]
  var document = 0
  var name = ""
  var row = 0
  var offset = 0
  var rows = 0
  /// Bytes of the file of rejected rows, which lasts longer than the commit.
  var rejects: Int?
  let content: SHA256Digest

  /// Bytes of the file, which holds names of tables and of one document, and a few numbers.
  fileprivate static let longest = 1024 * 1024

  func write(to path: String) throws {
    let value: [JSONMember] = .init(
      ("mapping", .string(mapping.hex)), ("tables", JSONValue(strings: tables)),
      ("document", JSONValue(document)), ("name", .string(name)), ("row", JSONValue(row)),
      ("offset", JSONValue(offset)), ("rows", JSONValue(rows)), ("rejects", rejects.map(JSONValue.init)),
      ("content", .string(content.hex)))
    try DurableFile.write(JSONValue.object(value).bytes, to: path)
  }
}

extension CursorState {
  init?(_ path: String) throws {
    guard let bytes = try DurableFile.readIfPresent(path, limit: Self.longest) else { return nil }
    do throws(MalformedJSON) {
      try self.init(parsing: bytes)
    } catch {
      throw ImportFailure(
        .document,
        "\(path) is not a cursor of an import: remove it and import from the start, in batches (\(error))")
    }
  }

  private init(parsing bytes: [UInt8]) throws(MalformedJSON) {
    var fields = try JSONObjectReader(parsing: bytes)
    try self.init(
      mapping: fields.digest("mapping"), tables: fields.strings("tables"),
      document: fields.integer("document", from: 0), name: fields.string("name"),
      row: fields.integer("row", from: 0), offset: fields.integer("offset", from: 0),
      rows: fields.integer("rows", from: 0), rejects: fields.integerIfPresent("rejects", from: 0),
      content: fields.digest("content"))
  }
}

/// What was read of an import's documents so far, as one digest: by it a resumed import knows them again. Only imports
/// in batches keep it: one pass of SHA-256 over the expanded documents, a second per gigabyte.
private struct ConsumedContent: ~Copyable {
  private var hasher = SHA256Hasher()
  private var length = 0

  /// Takes in what the scanner has passed: bytes that it is about to forget, or that are committed.
  mutating func take(_ scanner: borrowing JSONScanner, upTo end: Int) {
    guard end > length else { return }
    hasher.update(UnsafeRawBufferPointer(scanner.bytes(length..<end)))
    length = end
  }

  /// Ends a document: the next one begins with bytes of its own, wherever this one ended.
  mutating func endDocument(_ scanner: borrowing JSONScanner) {
    take(scanner, upTo: scanner.bytesFed)
    withUnsafeBytes(of: UInt64(length).littleEndian) { hasher.update($0) }
    length = 0
  }

  var digest: SHA256Digest { hasher.digestSoFar() }
}
