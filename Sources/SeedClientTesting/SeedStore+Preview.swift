public import SeedClient

public import struct Foundation.URL

extension SeedStore {
  /// A store for a preview, with these rows: it gets them at once, without a network.
  ///
  /// ```swift
  /// #Preview {
  ///   StopsView(seeds: .preview(schema: stopSchema) { $0.put(["id": "a", "name": "Alexanderplatz"], in: "stop") })
  /// }
  /// ```
  ///
  /// A mistake in schema or rows stops the program and says what is wrong. With a failure, the store shows what an app
  /// shows that has no data and gets none.
  public static func preview(
    schema: String, failure: TestFailure? = nil, rows: (inout RowChanges) throws -> Void = { _ in }
  ) -> SeedStore {
    preview(failure, rows) { try TestPublisher(schema: schema) }
  }

  /// A store for a preview with the data of a folder that `seedbank pull --bundle` made, and with changes of its rows.
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
      // A live query asks no server: it waits for the data that this brings.
      Task { try? await store.prepare() }
      return store
    } catch { fatalError("this preview has no data: \(error)") }
  }
}
