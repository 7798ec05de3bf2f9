import SeedDatabase
import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust

/// A finished file that no metadata names yet, so clients ignore it.
struct ObjectDraft {
  let path: String
  let object: PublishedObject

  func place(in publication: PublicationDirectory) throws {
    try DurableFile.moveIntoPlace(path, publication.file(object), mode: PublicationDirectory.fileMode)
  }

  func remove() { try? Folder.remove(path) }
}

extension ObjectDraft {
  init(_ changes: DeltaWriter, _ header: DeltaHeader, at path: String) throws {
    let (raw, stored) = try Compression.gzip(to: path) { take in try changes.write(header, to: take) }
    self.init(
      path: path,
      object: PublishedObject(
        series: header.series, kind: .delta(from: header.from, to: header.to), length: stored.length,
        sha256: stored.sha256, model: header.model, rawLength: raw.length, schema: header.schema,
        schemaBefore: header.additions?.before, digest: header.digest))
  }

  func pieces() throws -> DocumentPieces.Source { try Compression.pieces(of: path, limit: object.rawLength) }
}

struct DeltaPublication {
  let publication: PublicationDirectory
  let plan: SeriesPlan
  let spillFolder: String
  /// The source of whole rows for merged deltas that end at the copy's version.
  let copy: WorkingCopy?

  /// Merges the shortest spans first. A damaged delta must not stop the step, so its span is skipped with a warning. If
  /// the copy cannot be read, merges without it.
  func merge(
    _ spans: [DeltaSpan], of objects: [PublishedObject]
  ) throws -> (objects: [PublishedObject], warnings: [String]) {
    var merged: (objects: [PublishedObject], warnings: [String]) = ([], [])
    guard !spans.isEmpty else { return merged }
    var end: SeedVersion?
    do {
      end = try copy?.meta().version
    } catch {
      merged.warnings.append(
        "deltas are merged without the working copy of \(plan.series), which cannot be read: \(error.cause)")
    }
    for span in spans {
      do {
        guard let object = try merge(span, of: objects + merged.objects, copyAt: end) else { continue }
        merged.objects.append(object)
      } catch
        where error is PublicationError || error is DeltaMerge.TooManySets
        || (error as? FileError)?.isMissing == true
      {
        merged.warnings.append("the deltas \(span) of \(plan.series) were not merged: \(error.cause)")
      }
    }
    return merged
  }

  /// Returns `nil` if a single delta already covers the span, or if no chain of deltas covers it.
  private func merge(
    _ span: DeltaSpan, of objects: [PublishedObject], copyAt end: SeedVersion?
  ) throws -> PublishedObject? {
    let own = objects.filter {
      $0.schema == plan.schema.hash && $0.schemaBefore == nil && $0.encoding == .gzip
    }
    guard let chain = DeltaChain.shortest(own, from: span.from, to: span.to), chain.count > 1 else {
      return nil
    }
    var merged = DeltaWriter(spill: SpillFile(in: spillFolder))
    let documents = chain.map { object in { try publication.pieces(object) } }
    let merge = DeltaMerge(schema: plan.schema, copy: end == span.to ? copy?.connection : nil)
    let header = try merge.run(documents, from: span.from, into: &merged)
    let path = try publication.draft("delta-merged", of: plan.series)
    let draft = try ObjectDraft(merged, header, at: path)
    try draft.place(in: publication)
    return draft.object
  }
}

/// Merges consecutive deltas side by side in key order, with three rows per delta in memory. Keeps the delete
/// of a row that an earlier delta inserts, because a client at a version in between has the row.
struct DeltaMerge {
  let schema: DatabaseSchema
  /// A database at the merged delta's end version. A merged update has all columns of its row's updates, so
  /// new sets of columns arise. Once a table has ``SeriesDiff/mostSets``, whole rows are taken from here.
  var copy: Connection?
  var mostSets = SeriesDiff.mostSets

  struct TooManySets: Error, CustomStringConvertible {
    let table: String

    var description: String { "the changes of table \"\(table)\" have too many different sets of columns" }
  }

  typealias Document = () throws -> DocumentPieces.Source

  func run(
    _ documents: [Document], from start: SeedVersion, into merged: inout DeltaWriter
  ) throws -> DeltaHeader {
    // A document has a table's changes in three groups: deletes, inserts and updates. Each group is in key order and
    // needs its own reader.
    let inputs = try documents.flatMap { document in
      try DeltaInput.Kind.allCases.map { try DeltaInput($0, try document()) }
    }
    guard let last = inputs.last?.header else { preconditionFailure("there are no deltas to merge") }
    for table in schema.tables { try merge(table, inputs, into: &merged) }
    for input in inputs { if let unknown = input.table { throw ImportError.unknownTable(unknown.name) } }
    return DeltaHeader(
      series: last.series, model: last.model, schema: last.schema, from: start, to: last.to,
      digest: last.digest)
  }

  private func merge(_ table: TableSchema, _ all: [DeltaInput], into merged: inout DeltaWriter) throws {
    let inputs = all.filter { $0.table?.name == table.name }
    guard !inputs.isEmpty else { return }
    for input in inputs { try input.open(schema) }
    merged.begin(table: table.name, key: table.keyNames, columns: table.columnNames)
    let order = KeyOrder(table)
    while let key = inputs.compactMap(\.change?.key).min(by: { order.compare($0, $1) < 0 }) {
      var whole: RowChange?
      for input in inputs {
        guard let change = input.change, order.compare(change.key, key) == 0 else { continue }
        whole = try change.after(whole, in: table)
        try input.advance()
      }
      guard let whole else { continue }
      merged.add(merged.sets < mostSets ? whole : try completed(whole, table))
    }
  }

  private func completed(_ change: RowChange, _ table: TableSchema) throws -> RowChange {
    guard case .update = change.effect else { return change }
    guard let find = try copy?.cached(TableSQL(table).find) else { throw TooManySets(table: table.name) }
    defer { find.reset() }
    try find.bind(change.key)
    guard try find.step() else { throw TooManySets(table: table.name) }
    return RowChange(key: change.key, effect: .row(try find.row()))
  }
}

private struct RowChange {
  enum Effect {
    case delete
    case row([SeedValue])
    /// New values by column position.
    case update([Int: SeedValue])
  }

  let key: [SeedValue]
  let effect: Effect

  /// Combines this change with an earlier one of the same row. Columns that neither sets did not change.
  func after(_ earlier: RowChange?, in table: TableSchema) throws(ImportError) -> RowChange {
    guard case .update(let values) = effect, let earlier else { return self }
    switch earlier.effect {
    case .delete: throw .missingRow(table: table.name, key: rowDescription(table.keyNames, key))
    case .row(var row):
      for (position, value) in values { row[position] = value }
      return RowChange(key: key, effect: .row(row))
    case .update(let old): return RowChange(key: key, effect: .update(old.merging(values) { $1 }))
    }
  }
}

extension DeltaWriter {
  fileprivate mutating func add(_ change: RowChange) {
    switch change.effect {
    case .delete: delete(change.key)
    case .row(let row): insert(row)
    case .update(let values):
      let sorted = values.sorted { $0.key < $1.key }
      update(change.key, sorted.map(\.value), at: sorted.map(\.key))
    }
  }
}

private final class DeltaInput {
  enum Kind: CaseIterable { case deletes, inserts, updates }

  let header: DeltaHeader
  private(set) var table: DeltaTable?
  /// The open table's next change of this kind, or `nil` after the last.
  private(set) var change: RowChange?
  private let kind: Kind
  private var reader: DeltaReader
  private var open: (schema: TableSchema, sets: [[Int]])?
  private var values: [BorrowedValue] = []

  init(_ kind: Kind, _ document: @escaping DocumentPieces.Source) throws {
    self.kind = kind
    reader = try DeltaReader(document)
    header = reader.header
    take(try reader.next())
  }

  func open(_ schema: DatabaseSchema) throws {
    open = try table.map { delta in
      let table = try delta.table(in: schema)
      return (table, try delta.positions(in: table))
    }
    table = nil
    try advance()
  }

  func advance() throws {
    change = nil
    while table == nil, change == nil {
      let event = try reader.next()
      if event == .end { return }
      take(event)
      try read(event)
    }
  }

  private func take(_ event: DeltaEvent) { if case .table(let delta) = event { table = delta } }

  private func read(_ event: DeltaEvent) throws {
    guard let (schema, sets) = open else { return }
    switch (event, kind) {
    case (.delete, .deletes): change = RowChange(key: try row(), effect: .delete)
    case (.insert, .inserts):
      let row = try row()
      change = RowChange(key: schema.keyValues(of: row), effect: .row(row))
    case (.update(let set), .updates):
      let row = try row()
      let values = zip(sets[set], row.dropFirst(schema.key.count)).map { ($0, $1) }
      change = RowChange(
        key: Array(row.prefix(schema.key.count)), effect: .update(Dictionary(uniqueKeysWithValues: values)))
    default: return
    }
  }

  private func row() throws -> [SeedValue] {
    try reader.read(into: &values)
    return values.map(\.owned)
  }
}

/// Stores a delta's changes on disk until its header is known. The open file is unlinked, so a crash leaves no file.
final class SpillFile: DeltaSpill {
  private let path: String
  private var file: File?
  private var length = 0

  private static let readBytes = 256 * 1024

  init(in folder: String) { path = "\(folder)/delta.spill\(DurableFile.temporarySuffix)" }

  func append(_ bytes: [UInt8]) throws -> Range<Int> {
    if file == nil {
      try Folder.remove(path)
      file = try File(path, for: .updating)
      try Folder.remove(path)
    }
    try file?.write(bytes)
    defer { length += bytes.count }
    return length..<length + bytes.count
  }

  func read(_ range: Range<Int>, _ take: ([UInt8]) throws -> Void) throws {
    for start in stride(from: range.lowerBound, to: range.upperBound, by: Self.readBytes) {
      let count = min(Self.readBytes, range.upperBound - start)
      guard let bytes = try file?.read(count, at: start) else { return }
      try take(bytes)
    }
  }
}
