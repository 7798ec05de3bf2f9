import Foundation
import SeedFormat
import SeedSystem
import Support

/// Debian's headless Chromium, driven by the DevTools protocol over two pipes.
final class Browser: Sendable {
  /// Shared by all tests, because a start takes a second. It ends with the tests' process, which closes its pipe.
  static let shared = Result { try Browser() }

  struct Failure: Error {
    let method: String
    let detail: String
  }

  private struct State {
    var number = 0
    var replies: [Int: JSONValue] = [:]
    var events: [JSONValue] = []
    /// Whether its pipe has ended, so that no reply will come.
    var hasEnded = false
  }

  private let program: TestProgram
  private let state = Mutex(State())
  private let profile: TemporaryFolder

  // The protocol uses descriptors 3 and 4. Chromium's sandbox needs rights that a container lacks.
  private static let command = """
    exec chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars --no-first-run \
    --remote-debugging-pipe --user-data-dir="$1" about:blank 3<&0 4>&1 0</dev/null 1>/dev/null 2>/dev/null
    """

  private init() throws {
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/chromium") else {
      throw NeverHappened(what: "chromium is installed: see Scripts/deps --test")
    }
    profile = try TemporaryFolder()
    let replies = try Spawn.pipe(to: "chromium")
    program = try TestProgram(
      ["/bin/sh", "-c", Self.command, "sh", profile.path],
      environment: ["PATH": "/usr/bin:/bin", "HOME": profile.path, "TZ": "Europe/Berlin"], isBare: true,
      input: .pipe, output: replies.write)
    let messages = FileHandle(fileDescriptor: replies.read, closeOnDealloc: true)
    Thread.detachNewThread { [weak self] in
      var waiting = Data()
      while case let more = messages.availableData, !more.isEmpty {
        waiting += more
        while let end = waiting.firstIndex(of: 0) {
          self?.take(Array(waiting[..<end]))
          waiting = Data(waiting[(end + 1)...])
        }
      }
      self?.state.withLock { $0.hasEnded = true }
    }
    _ = try call("Browser.getVersion", [:])
  }

  private func take(_ message: [UInt8]) {
    guard let json = try? JSONValue(parsing: message) else { return }
    state.withLock { state in
      if let number = json["id"]?.integer { state.replies[number] = json } else { state.events.append(json) }
    }
  }

  func call(_ method: String, _ parameters: JSONValue, in session: String? = nil) throws -> JSONValue {
    let number = state.withLock { state in
      state.number += 1
      return state.number
    }
    let message = JSONValue.object(
      .init(
        ("id", JSONValue(number)), ("method", .string(method)), ("params", parameters),
        ("sessionId", session.map(JSONValue.string))))
    try program.write(message.text + "\0")
    let reply = try eventually("\(method) is answered", every: 0.002) {
      try state.withLock { state in
        let reply = state.replies.removeValue(forKey: number)
        if reply == nil, state.hasEnded { throw Failure(method: method, detail: "Chromium has ended") }
        return reply
      }
    }
    if let error = reply["error"] { throw Failure(method: method, detail: error.text) }
    return reply["result"] ?? .null
  }

  func events(_ method: String, in session: String) -> [JSONValue] {
    state.withLock { state in
      state.events.filter { $0["method"]?.string == method && $0["sessionId"]?.string == session }
        .compactMap { $0["params"] }
    }
  }
}

extension JSONValue {
  var text: String { String(decoding: bytes, as: UTF8.self) }
}
