internal import Dispatch

/// One request between its first line and the last byte of its answer. Only its connection's thread has it.
final class RequestInWork {
  let target: RawTarget
  let client: ClientConnection
  /// Which one it is on its connection, from 1.
  let number: Int
  private(set) var request: HTTPRequest?
  private(set) var isAdmitted = false
  private var group: DispatchGroup?
  private let start = ContinuousClock.now
  private var status = 0
  private var bodyBytes: Int64 = 0

  init(target: RawTarget, on client: ClientConnection) {
    self.target = target
    self.client = client
    number = client.countRequest()
  }

  /// Its head is complete.
  func begin(_ request: HTTPRequest) {
    self.request = request
    client.enter(.handling)
  }

  /// From here until its end the request is waited for.
  func admit(in group: DispatchGroup) {
    isAdmitted = true
    self.group = group
    group.enter()
  }

  /// That is sent from now on.
  func answer(with response: HTTPResponse) {
    status = response.status
    bodyBytes = request?.method == .head || response.status == 304 ? 0 : response.body.length
    client.enter(.sending)
  }

  /// What there is to tell of it; nil if its head never was complete.
  func exchange(completed: Bool) -> HTTPExchange? {
    guard let request else { return nil }
    return HTTPExchange(
      request: request, isAdmitted: isAdmitted, status: status, bodyBytes: bodyBytes, isComplete: completed,
      duration: ContinuousClock.now - start)
  }

  deinit { group?.leave() }
}
