#if canImport(Darwin)
import Foundation
import SeedSystem

/// A `URLSession` whose downloads the system goes on with. What it brings after the app was started anew is taken by the
/// same delegate, as soon as a store with the same identifier is made.
final class BackgroundSession: SystemDownloads {
  private let session: URLSession
  private let delegate: DownloadDelegate
  private let prepareRequest: @Sendable (inout URLRequest) -> Void

  init(_ identifier: String, userAgent: String, _ options: SeedOptions, _ arrivals: ArrivalFolder) {
    let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
    configuration.prepare(userAgent: userAgent, options.configureSession)
    configuration.timeoutIntervalForResource = TimeInterval(options.timeouts.total.components.seconds)
    prepareRequest = options.prepareRequest
    delegate = DownloadDelegate(arrivals, answering: options.answerChallenge)
    session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: .serial)
  }

  // What is under way goes on.
  deinit { session.finishTasksAndInvalidate() }

  func events() -> AsyncStream<SystemDownloadEvent> { delegate.events.stream() }

  func pursue(_ order: BackgroundOrder, _ request: TransportRequest) async {
    let tasks = await session.allTasks
    // One that is complete is still there until its delegate has heard of it.
    let own = tasks.filter { BackgroundOrder($0.taskDescription) == order && $0.state != .canceling }
    for task in tasks where BackgroundOrder(task.taskDescription) != order { task.cancel() }
    guard own.isEmpty else { return }
    let task = session.downloadTask(with: request.urlRequest(prepareRequest))
    task.taskDescription = order.text
    task.resume()
  }
}

private final class DownloadDelegate: NSObject, URLSessionDownloadDelegate {
  /// Of what comes faster than it is heard the oldest is left out: progress, which later events tell as well.
  let events = Broadcast<SystemDownloadEvent>(mostWaiting: 16)
  private let arrivals: ArrivalFolder
  private let answer: @Sendable (URLAuthenticationChallenge) -> ChallengeAnswer
  /// What became of tasks, by their orders, until they end.
  private let ends = Mutex<[BackgroundOrder: SystemDownloadEvent.Kind]>([:])

  init(
    _ arrivals: ArrivalFolder,
    answering answer: @escaping @Sendable (URLAuthenticationChallenge) -> ChallengeAnswer
  ) {
    (self.arrivals, self.answer) = (arrivals, answer)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    let answer = answer(challenge)
    if case .refuse = answer { note(.failed(.refused(url: task.url)), for: task) }
    completionHandler(answer.disposition, answer.credential)
  }

  func urlSession(
    _ session: URLSession, downloadTask task: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) {
    guard let order = BackgroundOrder(task.taskDescription) else { return }
    events.send(SystemDownloadEvent(order: order, kind: .progress(Int(totalBytesWritten))))
  }

  /// The system removes the file as soon as this returns.
  func urlSession(
    _ session: URLSession, downloadTask task: URLSessionDownloadTask, didFinishDownloadingTo location: URL
  ) {
    guard let order = BackgroundOrder(task.taskDescription), let response = task.response as? HTTPURLResponse
    else { return }
    do {
      let head = ResponseHead(response)
      note(try arrivals.take(location.path, for: order, head) ? .arrived : .answered(head), for: task)
    } catch {
      note(.failed(.unreachable(url: order.url, reason: "its file cannot be kept: \(error)")), for: task)
    }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    guard let order = BackgroundOrder(task.taskDescription) else { return }
    let noted = ends.withLock { $0.removeValue(forKey: order) }
    let failure = error.map { SystemDownloadEvent.Kind.failed(TransportError($0, url: order.url)) }
    events.send(SystemDownloadEvent(order: order, kind: noted ?? failure ?? .arrived))
  }

  private func note(_ end: SystemDownloadEvent.Kind, for task: URLSessionTask) {
    guard let order = BackgroundOrder(task.taskDescription) else { return }
    ends.withLock { $0[order] = end }
  }
}

extension URLSessionTask {
  fileprivate var url: String { originalRequest?.url?.absoluteString ?? "" }
}
#endif
