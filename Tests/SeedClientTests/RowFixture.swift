import Support
import Testing

@testable import SeedClient

struct RowFixture {
  private let fixture: StoreFixture
  let store: SeedStore

  init() throws {
    fixture = try StoreFixture()
    try fixture.publishGeneration(["a": "Alexanderplatz", "b": "Bellevue", "o'c": "O'Connell"])
    store = try fixture.store()
  }

  func rows<Row: Decodable & Sendable>(_ query: SeedQuery, as type: Row.Type) async throws -> [Row] {
    try await store.read { reader in try reader.rows(query, as: type) }
  }

  /// The error of a query whose rows cannot be decoded.
  func misfit<Row: Decodable & Sendable>(_ query: SeedQuery, as type: Row.Type) async -> SeedError? {
    do {
      Issue.record("\(try await rows(query, as: type))")
      return nil
    } catch { return error as? SeedError }
  }
}
