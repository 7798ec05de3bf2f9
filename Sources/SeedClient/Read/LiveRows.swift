import SeedDatabase
import SeedFormat

/// The data as it is now: a generation, its version, and for each table the sum of its rows. Two editions of one state
/// are equal, however often each was told.
struct DataEdition: Sendable {
  let generation: Generation
  private let version: Version
  /// By lower-case names; `nil` where they could not be read.
  private let tables: [String: TableSum]?

  init(_ generation: Generation, at version: Version, _ tables: [String: TableSum]?) {
    (self.generation, self.version) = (generation, version)
    self.tables = tables.map { tables in Dictionary(tables.map { ($0.key.lowercased(), $0.value) }) { $1 } }
  }

  /// Whether what a query reads is as it was in an earlier edition.
  func isSame(as earlier: DataEdition, for reading: Reading) -> Bool {
    guard generation === earlier.generation, let tables, let before = earlier.tables else { return false }
    switch reading {
    case .all: return version == earlier.version && tables == before
    case .tables(let names): return names.allSatisfy { tables[$0] == before[$0] }
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
  let sleep: @Sendable (Duration) async throws -> Void

  /// Waits before further attempts where the file cannot be read for now, as on a device that is locked, in seconds.
  private static var waits: [Double] { [0.25, 0.5, 1, 2, 4, 8, 16] }

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

  /// `nil` while the store is suspended, whose resumption is told as well, and where there is damage.
  private func rows(of generation: Generation) async throws -> ([Row], DataEdition.Reading)? {
    do {
      return try await patientlyRead(generation)
    } catch let error as SeedError {
      guard [.suspended, .damaged].contains(error.code) else { throw error }
      guard error.code == .damaged else { return nil }
    }
    do { try await onDamage(generation) } catch let error as SeedError where error.code == .suspended {}
    return nil
  }

  private func patientlyRead(_ generation: Generation) async throws -> ([Row], DataEdition.Reading) {
    for wait in Self.waits {
      do {
        return try await read(generation)
      } catch let error as SeedError where error.code == .io {
        try await sleep(.seconds(wait))
      }
    }
    return try await read(generation)
  }
}
