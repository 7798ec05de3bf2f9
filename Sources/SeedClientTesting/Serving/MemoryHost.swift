import Foundation
package import SeedClient
import SeedSystem

package final class MemoryHost: Sendable {
  private let served = Mutex(Served())

  package struct Served: Sendable {
    /// By name below the server's address.
    package var files: [String: [UInt8]] = [:]
    package var requests: [String] = []
    package var failure: TestFailure?
    /// Called before each file is sent; a test can delay it here.
    package var hold: (@Sendable (_ name: String) async throws -> Void)?
    /// Called after half of a snapshot or delta was sent.
    var pause: (@Sendable () async throws -> Void)?

    package var isOffline: Bool {
      get { failure == .offline }
      set { failure = newValue ? .offline : nil }
    }
  }

  package init() {}

  package func withServed<Result: Sendable>(_ body: (inout Served) -> Result) -> Result {
    served.withLock { body(&$0) }
  }

  static func isObject(_ name: String) -> Bool { name.hasPrefix("targets/") }
}

extension MemoryHost: Transport {
  package func send(_ request: TransportRequest, to receiver: ResponseReceiver) async throws {
    let name = request.url.path.split(separator: "/").joined(separator: "/")
    try await withServed { $0.hold }?(name)
    let served = withServed { served in
      served.requests.append(name)
      return (content: served.files[name], failure: served.failure, pause: served.pause)
    }
    let content = served.failure.map { $0.content(served.content, of: name) } ?? served.content
    let answer = try served.failure?.answer(request) ?? FileAnswer(request, content)
    guard let pause = served.pause, Self.isObject(name) else { return try answer.send(to: receiver) }
    try await answer.send(to: receiver, pause: pause)
  }
}
