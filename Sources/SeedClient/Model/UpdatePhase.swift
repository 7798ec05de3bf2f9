/// An update's phase and progress.
public enum UpdatePhase: Sendable {
  /// Asking the server for news.
  case checking
  /// Downloading; `totalBytes` is the sum of all files.
  case downloading(bytes: Int, totalBytes: Int)
  /// Expanding and verifying a snapshot; bytes are those of the expanded file.
  case expanding(bytes: Int, totalBytes: Int)
  /// Building the snapshot's secondary indexes.
  case buildingIndexes
  /// Applying deltas: rows changed so far, and bytes of the deltas read.
  case applying(rows: Int, bytes: Int, totalBytes: Int)
  /// Making the new file current.
  case swapping
  /// The last phase.
  case finished(UpdateReport)

  /// The phase's progress from 0 to 1; `nil` if unknown.
  public var fractionCompleted: Double? {
    switch self {
    case .checking, .buildingIndexes, .swapping: nil
    case .downloading(let bytes, let total), .expanding(let bytes, let total),
      .applying(_, let bytes, let total):
      total > 0 ? min(Double(bytes) / Double(total), 1) : nil
    case .finished: 1
    }
  }
}

/// The phases of an update, which starts with an iteration and is cancelled with it. Failures are ``SeedError``.
public struct UpdatePhases: AsyncSequence, Sendable {
  /// The type of the elements.
  public typealias Element = UpdatePhase
  /// The only error type.
  public typealias Failure = SeedError
  typealias Listener = @Sendable (UpdatePhase) -> Void

  private static let mostWaiting = 32

  private let update: @Sendable (@escaping Listener) async throws(SeedError) -> UpdateReport

  init(_ update: @escaping @Sendable (@escaping Listener) async throws(SeedError) -> UpdateReport) {
    self.update = update
  }

  /// Starts an update.
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

  /// A running update.
  public struct Iterator: AsyncIteratorProtocol {
    /// Stores the stream, not its iterator, which would need `next(isolation:)` from iOS 18 to stay in one isolation.
    /// Each loop over the stream continues after the previous one.
    fileprivate let results: AsyncStream<Result<UpdatePhase, SeedError>>
    private var isOver = false

    fileprivate init(results: AsyncStream<Result<UpdatePhase, SeedError>>) { self.results = results }

    /// The next phase; `nil` after the last.
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
      // The stream ends before the update only if the listener was cancelled.
      return .failure(SeedError(CancellationError()))
    }
  }
}
