import SeedDatabase
import SeedFormat

/// What of the data changed last: a generation, and for each table how often it changed there.
struct DataEdition: Sendable {
  let generation: Generation
  /// How often it is not known what changed. It goes on over generations, for one may come back.
  private var others = 0
  private var tables: [String: Int] = [:]

  /// The edition behind another, in which nothing is noted yet.
  init(_ generation: Generation, after earlier: DataEdition?) {
    self.generation = generation
    others = earlier?.others ?? 0
    if let earlier, earlier.generation === generation { tables = earlier.tables }
  }

  /// `changed` are tables; `nil` where it is not known which.
  mutating func note(_ changed: [String]?) {
    guard let changed else {
      others += 1
      return
    }
    for table in changed { tables[table.lowercased(), default: 0] += 1 }
  }

  /// Whether what a query reads is as it was in an earlier edition.
  func isSame(as earlier: DataEdition, for reading: Reading) -> Bool {
    guard generation === earlier.generation, others == earlier.others else { return false }
    switch reading {
    case .all: return tables == earlier.tables
    case .tables(let names): return names.allSatisfy { tables[$0] == earlier.tables[$0] }
    }
  }

  /// What a query reads.
  enum Reading: Sendable {
    case all
    /// These tables, by their lower-case names.
    case tables(Set<String>)

    /// No change names search tables, pragmas and the like. SQLite looks at its schema on the way.
    init(_ read: TablesRead, ordinary: Set<String>) {
      let names = Set(read.names.map { $0.lowercased() }).subtracting(["sqlite_master", "sqlite_schema"])
      self = read.readsMore || !names.isSubset(of: ordinary) ? .all : .tables(names)
    }
  }
}

struct LiveRows<Row: Sendable>: Sendable {
  /// Whether rows that are the same as before are not worth an element.
  let isSame: (@Sendable ([Row], [Row]) -> Bool)?
  let read: @Sendable (Generation) async throws -> ([Row], DataEdition.Reading)
  /// Called with a generation in which the query met damage. What replaces it comes as an element of its own.
  let onDamage: @Sendable (Generation) async throws -> Void

  /// The rows now, and after every change of what the query reads; a result that no one took in time gives way to the
  /// next. The stream ends with `editions`, whose sender it must not keep.
  func stream(at editions: AsyncStream<DataEdition>) -> AsyncThrowingStream<[Row], any Error> {
    AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let task = Task {
        do {
          try await follow(editions) { continuation.yield($0) }
          continuation.finish()
        } catch { continuation.finish(throwing: error) }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  private func follow(_ editions: AsyncStream<DataEdition>, _ yield: ([Row]) -> Void) async throws {
    var last: (edition: DataEdition, reading: DataEdition.Reading)?
    var shown: [Row]?
    for await edition in editions {
      if let last, edition.isSame(as: last.edition, for: last.reading) { continue }
      guard let (rows, reading) = try await rows(of: edition.generation) else {
        last = nil
        continue
      }
      last = (edition, reading)
      if let isSame, let shown, isSame(shown, rows) { continue }
      if isSame != nil { shown = rows }
      yield(rows)
    }
  }

  /// `nil` while the store is suspended, whose resumption is a change of its own, and where there is damage.
  private func rows(of generation: Generation) async throws -> ([Row], DataEdition.Reading)? {
    do {
      return try await read(generation)
    } catch let error as SeedError {
      guard [.suspended, .damaged].contains(error.code) else { throw error }
      guard error.code == .damaged else { return nil }
    }
    do { try await onDamage(generation) } catch let error as SeedError where error.code == .suspended {}
    return nil
  }
}
