public import SeedClient

public import struct Foundation.URL

extension SeedStore {
  /// A preview store with these rows, without a network.
  ///
  /// ```swift
  /// #Preview {
  ///   StopsView(seeds: .preview(schema: stopSchema) { $0.put(["id": "a", "name": "Alexanderplatz"], in: "stop") })
  /// }
  /// ```
  ///
  /// Traps with a message if the schema or the rows are wrong. With a failure, the store never has data.
  public static func preview(
    schema: String, failure: TestFailure? = nil, rows: (inout RowChanges) throws -> Void = { _ in }
  ) -> SeedStore {
    preview(failure, rows) { try TestPublisher(schema: schema) }
  }

  /// A preview store with the data of a folder made by `seedbank pull --bundle`, plus changes to its rows.
  public static func preview(
    bundle: URL, failure: TestFailure? = nil, rows: (inout RowChanges) throws -> Void = { _ in }
  ) -> SeedStore {
    preview(failure, rows) { try TestPublisher(bundle: bundle) }
  }

  private static func preview(
    _ failure: TestFailure?, _ rows: (inout RowChanges) throws -> Void, _ make: () throws -> TestPublisher
  ) -> SeedStore {
    do {
      let publisher = try make()
      try publisher.publish(rows)
      publisher.failure = failure
      let store = try publisher.store()
      // A live query does not contact the server: it waits for this data.
      Task { try? await store.prepare() }
      return store
    } catch { fatalError("this preview has no data: \(error)") }
  }
}
