import SeedFormat

/// How far an import in batches came, in a file beside the database.
///
/// It is written after its batch is committed: a crash in between repeats one batch, which changes nothing,
/// for the rows are there.
struct ImportCursor {
  private let path: String
  private var reached: (document: String, row: Int)?
  private var isPassing: Bool
  /// Rows of the reached document that were passed over so far.
  private var passed = 0

  /// Bytes of the file, which holds one document's name and two numbers.
  private static let longest = 64 * 1024

  /// `nil` where all is one transaction.
  init?(_ atomicity: ImportPolicy.Atomicity) throws {
    guard case .batched(_, let path) = atomicity else { return nil }
    self.path = path
    if let bytes = try DurableFile.readIfPresent(path, limit: Self.longest) {
      let value = try? JSONValue(parsing: bytes)
      guard let document = value?["document"]?.string, let row = value?["row"]?.integer else {
        throw ImportFailure(.document, "\(path) is not a cursor of an import: remove it to begin anew")
      }
      reached = (document, row)
    }
    isPassing = reached != nil
  }

  /// Whether an earlier run took this row in.
  mutating func isPassed(_ place: RowPlace) -> Bool {
    guard isPassing, let reached else { return false }
    guard place.document == reached.document else { return true }
    if place.row >= reached.row { isPassing = false } else { passed = place.row + 1 }
    return isPassing
  }

  /// The row at `place` and all before it are committed.
  mutating func advance(to place: RowPlace) throws {
    let value: JSONValue = [
      "document": .string(place.document), "row": .integer(Int64(place.row + 1)),
      "offset": .integer(Int64(place.offset)),
    ]
    try DurableFile.write(value.bytes, to: path)
  }

  /// A cursor of another import would pass all rows over; one that stands behind the last row means that
  /// only its removal was missing.
  func checkWasReached() throws {
    guard isPassing, let reached, passed < reached.row else { return }
    throw ImportFailure(
      .document,
      "\(path) says that \(reached.row) rows of \(reached.document) are in, and there is no more: "
        + "remove it to import from the start")
  }

  func remove() throws { if Folder.exists(path) { try Folder.remove(path) } }
}

/// Says when it is time to look up, and shows progress not more often than a person sees it.
struct ImportPace {
  private let progress: ((ImportProgress) -> Void)?
  private let rows: Int
  private let now: () -> ContinuousClock.Instant
  private let start: ContinuousClock.Instant
  private var shown: ContinuousClock.Instant
  private static let interval = Duration.milliseconds(100)

  init(_ hooks: ImportHooks, rows: Int) {
    progress = hooks.progress
    now = hooks.now
    self.rows = max(1, rows)
    start = now()
    shown = start
  }

  var elapsed: Duration { now() - start }

  func isDue(rows count: Int) -> Bool { count.isMultiple(of: rows) }

  mutating func show(bytes: Int, rows: Int) {
    guard let progress else { return }
    let now = now()
    guard now - shown >= Self.interval else { return }
    shown = now
    progress(ImportProgress(bytes: bytes, rows: rows))
  }

  func end(bytes: Int, rows: Int) { progress?(ImportProgress(bytes: bytes, rows: rows)) }
}

/// What must hold before a session begins.
struct ImportPreconditions {
  private let connection: Connection
  private let mapping: ImportMapping
  private let policy: ImportPolicy

  init(_ connection: Connection, _ mapping: ImportMapping, _ policy: ImportPolicy) {
    self.connection = connection
    self.mapping = mapping
    self.policy = policy
  }

  func check() throws {
    guard !connection.isInTransaction else {
      throw ImportFailure(
        .database, "the connection is in a transaction: end it first, an import opens its own")
    }
    guard try connection.integer("PRAGMA foreign_keys") == 0 else {
      throw ImportFailure(.database, "\(ImportError.foreignKeysEnforced)")
    }
    let isSeed = try connection.integer(
      "SELECT count(*) FROM sqlite_schema WHERE name = ?", .text(ReservedTable.meta))
    guard isSeed == 0 else {
      throw ImportFailure(
        .database, "\(connection.path) is a published seed: its rows change by its publisher's updates only")
    }
    if case .batched(let rows, _) = policy.atomicity {
      guard rows > 0 else { throw ImportFailure(.mapping, "a batch has at least one row") }
      guard !mapping.lists.contains(where: \.table.deletes) else {
        throw ImportFailure(
          .mapping, "rows are deleted by one transaction only: batches do not go with this mode")
      }
    }
  }
}

extension TableMapping {
  /// Whether the table or a nested one loses the rows that the import does not mention.
  var deletes: Bool { mode != .merge || relations.contains { $0.table.deletes } }
}

extension RelationMapping {
  var table: TableMapping {
    switch self {
    case .object(_, let table, _), .array(_, let table, _), .join(_, let table, _, _, _): table
    }
  }
}
