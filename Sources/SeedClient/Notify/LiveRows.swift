import SeedFormat

/// A query that is asked again whenever the data changed.
struct LiveRows: Sendable {
  let sql: String
  let values: [SeedValue]
  /// Is told of a generation in which the query met damage; what is read in its place is a moment of its own.
  let onDamage: @Sendable (Generation) async throws -> Void

  /// The rows now, and after every moment; a result that no one took in time gives way to the next. It ends with the
  /// moments, whose sender it must not keep.
  func stream(at seeds: AsyncStream<Seed>) -> AsyncThrowingStream<[SeedRow], any Error> {
    AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let task = Task {
        do {
          for await seed in seeds {
            if let rows = try await rows(of: seed) { continuation.yield(rows) }
          }
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  /// `nil` while the store is suspended, whose resumption is a moment of its own, and where there is damage.
  private func rows(of seed: Seed) async throws -> [SeedRow]? {
    do {
      return try await seed.generation.reader.read { [sql, values] reader in
        try reader.rows(sql, values: values)
      }
    } catch let error as SeedError {
      if error.code == .damaged { try await onDamage(seed.generation) }
      guard [.suspended, .damaged].contains(error.code) else { throw error }
      return nil
    }
  }
}
