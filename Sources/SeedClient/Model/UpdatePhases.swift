/// The phases of an update, which begins with each iteration, is cancelled with its end, and fails with a ``SeedError``.
public struct UpdatePhases: AsyncSequence, Sendable {
  /// A phase.
  public typealias Element = UpdatePhase
  /// The one kind of error that it throws.
  public typealias Failure = SeedError
  typealias Listener = @Sendable (UpdatePhase) -> Void

  private static let mostWaiting = 32

  private let update: @Sendable (@escaping Listener) async throws(SeedError) -> UpdateReport

  init(_ update: @escaping @Sendable (@escaping Listener) async throws(SeedError) -> UpdateReport) {
    self.update = update
  }

  /// Begins an update.
  public func makeAsyncIterator() -> Iterator {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Result<UpdatePhase, SeedError>.self, bufferingPolicy: .bufferingNewest(Self.mostWaiting))
    let task = Task { [update] in
      do throws(SeedError) {
        _ = try await update { continuation.yield(.success($0)) }
      } catch {
        continuation.yield(.failure(error))
      }
      continuation.finish()
    }
    continuation.onTermination = { _ in task.cancel() }
    return Iterator(results: stream)
  }

  /// An update under way.
  public struct Iterator: AsyncIteratorProtocol {
    /// Not its iterator, which must stay in one isolation: to say so takes `next(isolation:)`, which is there only from
    /// iOS 18 on. Each loop over the stream goes on where the one before ended.
    fileprivate let results: AsyncStream<Result<UpdatePhase, SeedError>>
    private var isOver = false

    fileprivate init(results: AsyncStream<Result<UpdatePhase, SeedError>>) { self.results = results }

    /// The next phase; `nil` behind the report.
    public mutating func next() async throws(SeedError) -> UpdatePhase? {
      guard !isOver else { return nil }
      let result = await nextResult()
      switch result {
      case .failure, .success(.finished): isOver = true
      case .success: break
      }
      return try result.get()
    }

    private func nextResult() async -> Result<UpdatePhase, SeedError> {
      for await result in results { return result }
      // Only a cancelled listener hears the end of the stream without the end of the update.
      return .failure(SeedError(CancellationError()))
    }
  }
}
