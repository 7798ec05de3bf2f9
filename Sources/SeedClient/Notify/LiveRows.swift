import SeedFormat

/// A query that is asked again whenever the data changed.
struct LiveRows: Sendable {
  let moments: Broadcast<Seed>
  let sql: String
  let values: [SeedValue]

  /// The rows now, and after every moment; a result that no one took in time gives way to the next.
  func stream() -> AsyncThrowingStream<[SeedRow], any Error> {
    let seeds = moments.stream()
    return AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
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

  /// `nil` while the store is suspended: its resumption is a moment of its own.
  private func rows(of seed: Seed) async throws -> [SeedRow]? {
    do {
      return try await seed.generation.reader.read { [sql, values] reader in
        try reader.rows(sql, values: values)
      }
    } catch let error as SeedError {
      if error.code == .suspended { return nil }
      throw error
    }
  }
}
