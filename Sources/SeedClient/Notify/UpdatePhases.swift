/// The phases of one update, which lasts as long as someone listens.
struct UpdatePhases: AsyncSequence, Sendable {
  typealias Element = UpdatePhase
  typealias Failure = SeedError
  typealias Tell = @Sendable (UpdatePhase) -> Void

  /// Phases that wait for a listener who is busy; of more the oldest are left out.
  private static let patience = 32

  private let update: @Sendable (@escaping Tell) async throws(SeedError) -> UpdateReport

  init(_ update: @escaping @Sendable (@escaping Tell) async throws(SeedError) -> UpdateReport) {
    self.update = update
  }

  func makeAsyncIterator() -> Iterator {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Result<UpdatePhase, SeedError>.self, bufferingPolicy: .bufferingNewest(Self.patience))
    let task = Task { [update] in
      do throws(SeedError) {
        _ = try await update { continuation.yield(.success($0)) }
      } catch {
        continuation.yield(.failure(error))
      }
      continuation.finish()
    }
    continuation.onTermination = { _ in task.cancel() }
    return Iterator(results: stream.makeAsyncIterator())
  }

  struct Iterator: AsyncIteratorProtocol {
    fileprivate var results: AsyncStream<Result<UpdatePhase, SeedError>>.Iterator
    private var isOver = false

    fileprivate init(results: AsyncStream<Result<UpdatePhase, SeedError>>.Iterator) { self.results = results }

    mutating func next() async throws(SeedError) -> UpdatePhase? { try await next(isolation: #isolation) }

    mutating func next(isolation actor: isolated (any Actor)?) async throws(SeedError) -> UpdatePhase? {
      guard !isOver else { return nil }
      guard let result = await results.next(isolation: actor) else {
        // Only a cancelled listener hears the end of the stream without the end of the update.
        isOver = true
        throw SeedError(CancellationError())
      }
      if case .failure = result { isOver = true }
      if case .success(.finished) = result { isOver = true }
      return try result.get()
    }
  }
}
