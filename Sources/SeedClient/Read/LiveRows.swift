struct LiveRows: Sendable {
  let sql: String
  let values: [SeedValue]
  /// Called with a generation in which the query met damage. What replaces it comes as an element of its own.
  let onDamage: @Sendable (Generation) async throws -> Void

  /// The rows now, and after every change; a result that no one took in time gives way to the next. The stream ends
  /// with `changes`, whose sender it must not keep.
  func stream(at changes: AsyncStream<Generation>) -> AsyncThrowingStream<[SeedRow], any Error> {
    AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let task = Task {
        do {
          for await generation in changes {
            if let rows = try await rows(of: generation) { continuation.yield(rows) }
          }
          continuation.finish()
        } catch { continuation.finish(throwing: error) }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  /// `nil` while the store is suspended, whose resumption is a change of its own, and where there is damage.
  private func rows(of generation: Generation) async throws -> [SeedRow]? {
    do {
      return try await generation.reader.read { [sql, values] reader in try reader.rows(sql, values: values) }
    } catch let error as SeedError {
      if error.code == .damaged { try await onDamage(generation) }
      guard [.suspended, .damaged].contains(error.code) else { throw error }
      return nil
    }
  }
}
