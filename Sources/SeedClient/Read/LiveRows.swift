import SeedDatabase
import SeedFormat

/// A generation, its version and table states. Live queries skip editions that change none of their tables.
struct DataEdition: Sendable {
  let generation: Generation
  let version: SeedVersion
  private let tables: [String: TableState]?

  private struct TableState: Equatable {
    var sum: TableSum
    /// The last version that inserted or deleted rows, or whose changed columns are unknown.
    var rowsChanged: SeedVersion
    var columnsChanged: [String: SeedVersion] = [:]

    func isSame(as earlier: Self, in columns: Set<String>) -> Bool {
      sum == earlier.sum
        || rowsChanged == earlier.rowsChanged
          && columns.allSatisfy { columnsChanged[$0] == earlier.columnsChanged[$0] }
    }
  }

  /// `updated` has the changed columns of each table in which rows were updated, but none added or removed.
  init(
    _ generation: Generation, at version: SeedVersion, _ sums: [String: TableSum]?,
    updated: [String: Set<String>] = [:], after earlier: DataEdition? = nil
  ) {
    (self.generation, self.version) = (generation, version)
    let before = earlier?.generation === generation ? earlier?.tables : nil
    let updated = Dictionary(updated.map { ($0.key.foldedName, $0.value) }) { $1 }
    tables = sums.map { sums in
      let states = sums.map { name, sum in
        let name = name.foldedName
        return (name, Self.state(sum, version, updated[name], after: before?[name]))
      }
      return Dictionary(states) { $1 }
    }
  }

  private static func state(
    _ sum: TableSum, _ version: SeedVersion, _ updated: Set<String>?, after before: TableState?
  ) -> TableState {
    if let before, before.sum == sum { return before }
    guard var state = before, let updated else { return TableState(sum: sum, rowsChanged: version) }
    state.sum = sum
    for column in updated { state.columnsChanged[column.foldedName] = version }
    return state
  }

  func isSame(as earlier: DataEdition, for reading: Reading) -> Bool {
    guard generation === earlier.generation, let tables, let before = earlier.tables else { return false }
    switch reading {
    case .all: return version == earlier.version && tables.mapValues(\.sum) == before.mapValues(\.sum)
    case .tables(let columns):
      return columns.allSatisfy { name, columns in
        guard let now = tables[name], let before = before[name] else { return tables[name] == before[name] }
        return now.isSame(as: before, in: columns)
      }
    }
  }

  enum Reading: Sendable {
    case all
    /// The columns that the query reads, by table, all in lower case.
    case tables([String: Set<String>])

    /// Uses `.all` if the query reads a table outside `ordinary`, such as a search table. Ignores the schema tables, which
    /// SQLite reads internally.
    init(_ read: TablesRead, ordinary: Set<String>) {
      let schema: Set = ["sqlite_master", "sqlite_schema"]
      let data = read.columns.filter { !schema.contains($0.key.foldedName) }
      let columns = Dictionary(data.map { ($0.key.foldedName, Set($0.value.map { $0.foldedName })) }) {
        $0.union($1)
      }
      self = read.readsMore || !Set(columns.keys).isSubset(of: ordinary) ? .all : .tables(columns)
    }
  }
}

/// The rows of a query, or another value that is read from the data.
struct LiveRows<Rows: Sendable>: Sendable {
  /// If set, rows equal to the last ones are not yielded.
  let isSame: (@Sendable (Rows, Rows) -> Bool)?
  /// Returns nil instead of a reading if it read another version than the edition's.
  let read: @Sendable (DataEdition) async throws -> (Rows, DataEdition.Reading?)
  /// Called if the query finds damage in a generation. The generation's replacement arrives as a new edition.
  let onDamage: @Sendable (Generation) async throws -> Void
  let sleep: @Sendable (Duration) async throws -> Void
  /// Called with the error that ends the query.
  var onFailure: @Sendable (SeedError) -> Void = { _ in }

  /// Seconds between retries while the file is temporarily unreadable, for example on a locked device.
  private static var waits: [Double] { [0.25, 0.5, 1, 2, 4, 8, 16] }

  /// Yields the rows now and after every change to the tables that the query reads; a newer result replaces an unread
  /// one. The stream ends with `editions`, which it does not retain.
  func stream(at editions: Broadcast<DataEdition>) -> AsyncThrowingStream<Rows, any Error> {
    let newest: Editions = { [weak editions] in editions?.stream() }
    let all = editions.stream()
    return AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let task = Task {
        do {
          try await follow(all, newest) { continuation.yield($0) }
          continuation.finish()
        } catch {
          if !Task.isCancelled { onFailure(SeedError(error)) }
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  /// Returns a stream that begins with the newest edition; nil if the sender is gone.
  private typealias Editions = @Sendable () -> AsyncStream<DataEdition>?

  private func follow(
    _ editions: AsyncStream<DataEdition>, _ newest: @escaping Editions, _ yield: (Rows) -> Void
  ) async throws {
    var last: (edition: DataEdition, reading: DataEdition.Reading)?
    var shown: Rows?
    for await edition in editions {
      if let last, edition.isSame(as: last.edition, for: last.reading) { continue }
      guard let (rows, reading) = try await rows(of: edition, newest) else {
        last = nil
        continue
      }
      // If the query read another version, the next edition runs it again, even if that edition restores this one's rows.
      last = reading.map { (edition: edition, reading: $0) }
      if let isSame, let shown, isSame(shown, rows) { continue }
      if isSame != nil { shown = rows }
      yield(rows)
    }
  }

  /// Returns nil if the store is suspended, or if the generation is damaged or was replaced. A new edition then follows.
  private func rows(
    of edition: DataEdition, _ newest: @escaping Editions
  ) async throws -> (Rows, DataEdition.Reading?)? {
    let generation = edition.generation
    var waits = Self.waits[...]
    while true {
      do {
        return try await read(edition)
      } catch let error as SeedError where error.code == .io && !waits.isEmpty {
        if try await isReplaced(generation, within: waits.removeFirst(), newest) { return nil }
      } catch let error as SeedError where error.code == .damaged {
        do { try await onDamage(generation) } catch let error as SeedError where error.code == .suspended {}
        return nil
      } catch let error as SeedError where error.code == .suspended { return nil }
    }
  }

  /// Returns false after `seconds`, or true as soon as the store has another file, which may be readable.
  private func isReplaced(
    _ generation: Generation, within seconds: Double, _ newest: @escaping Editions
  ) async throws -> Bool {
    try await withThrowingTaskGroup(of: Bool.self) { [sleep] group in
      group.addTask {
        try await sleep(.seconds(seconds))
        return false
      }
      group.addTask {
        guard let editions = newest() else { return true }
        for await edition in editions where edition.generation !== generation { break }
        return true
      }
      defer { group.cancelAll() }
      return try await group.next() ?? false
    }
  }
}
