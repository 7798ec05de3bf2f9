import Foundation
package import SeedClient
import SeedSystem

/// A publication's server in memory.
package final class MemoryHost: Sendable {
  private let served = Mutex(Served())

  /// What clients can see, and what they asked for.
  package struct Served: Sendable {
    /// By their names below the server's address.
    package var files: [String: [UInt8]] = [:]
    /// The names of the files that were asked for, in order.
    package var requests: [String] = []
    /// How it fails, where it does.
    package var failure: TestFailure?
    /// Asked before each file goes out: a test can hold it back here.
    package var hold: (@Sendable (_ name: String) async throws -> Void)?
    /// Asked when half of a snapshot or delta has gone out.
    var pause: (@Sendable () async throws -> Void)?

    /// Whether it cannot be reached.
    package var isOffline: Bool {
      get { failure == .offline }
      set { failure = newValue ? .offline : nil }
    }
  }

  /// A host without files.
  package init() {}

  /// Looks at what is served, or changes it.
  package func withServed<Result: Sendable>(_ body: (inout Served) -> Result) -> Result {
    served.withLock { body(&$0) }
  }

  /// Whether a file is a snapshot or a delta.
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
