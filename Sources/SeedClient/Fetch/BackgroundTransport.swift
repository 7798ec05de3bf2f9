import SeedSystem

/// The system's own downloads, which go on while the app is suspended or gone; tests play them.
protocol SystemDownloads: Sendable {
  /// What happens to them, from the moment on at which somebody listens.
  func events() -> AsyncStream<SystemDownloadEvent>
  /// Goes on with this order, or begins it; all others end.
  func pursue(_ order: BackgroundOrder, _ request: TransportRequest) async
}

struct SystemDownloadEvent: Sendable {
  enum Kind: Sendable {
    /// Bytes that arrived so far.
    case progress(Int)
    /// The file is in the folder.
    case arrived
    /// The server answered, but not by the file.
    case answered(ResponseHead)
    case failed(TransportError)
  }

  let order: BackgroundOrder
  let kind: Kind
}

/// Lets the system get an object, and tells the answer once it is there. A caller that is cancelled, as by the end of a
/// background task, leaves the system to it: the next one goes on waiting, or finds the answer.
final class BackgroundTransport: Transport {
  private let system: any SystemDownloads
  private let arrivals: ArrivalFolder

  init(_ system: any SystemDownloads, _ arrivals: ArrivalFolder) {
    (self.system, self.arrivals) = (system, arrivals)
  }

  func send(_ request: TransportRequest, to receiver: ResponseReceiver) async throws {
    guard let order = BackgroundOrder(request) else { return }
    // Before looking, so that nothing happens between the two.
    let events = system.events()
    if try arrivals.tell(order, to: receiver) { return }
    await system.pursue(order, request)
    switch try await end(of: order, in: events, telling: receiver) {
    case .answered(let head): try receiver.head(head)
    case .failed(let failure): throw failure
    case .progress, .arrived:
      guard try arrivals.tell(order, to: receiver) else {
        throw TransportError.unreachable(url: request.text, reason: "the system's download left no file")
      }
    }
  }

  private func end(
    of order: BackgroundOrder, in events: AsyncStream<SystemDownloadEvent>, telling receiver: ResponseReceiver
  ) async throws(CancellationError) -> SystemDownloadEvent.Kind {
    var told = 0
    // The bytes come again with the answer.
    defer { receiver.progress(-told) }
    for await event in events where event.order == order {
      guard case .progress(let bytes) = event.kind else { return event.kind }
      receiver.progress(bytes - told)
      told = bytes
    }
    throw CancellationError()
  }
}
