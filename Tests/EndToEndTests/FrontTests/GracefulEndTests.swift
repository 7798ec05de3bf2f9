import Foundation
import SeedSystem
import Support
import Testing

@Suite struct GracefulEndTests {
  private static let rounds = Stage.pick(quick: 1, full: 3, deep: 20)
  private static let clients = 8

  private final class Outcome: Sendable {
    let counts = Mutex((answered: 0, broken: 0, unanswered: 0))
    let isOver = Mutex(false)
  }

  private func serve(_ deployment: OperatedDeployment, _ setting: String = "", _ value: String = "") throws
    -> RunningSeedbank
  {
    try RunningSeedbank(
      ["serve", "--port", "0"], in: deployment.folder.path,
      environment: setting.isEmpty ? [:] : ["SEEDBANK_HTTP_\(setting)_SECONDS": value])
  }

  @Test func `SIGTERM under load truncates no answer and drops no accepted request`() throws {
    let deployment = try largeDeployment(rows: 200)
    for _ in 0..<Self.rounds {
      let server = try serve(deployment)
      let outcome = Outcome()
      let group = DispatchGroup()
      let snapshot = try #require(RawClient(port: server.port).get("/v1/my/snapshot?model=1.0")["Location"])
      for number in 0..<Self.clients {
        Thread.detachNewThread(in: group) { [port = server.port] in
          Self.keepAsking(port, number.isMultiple(of: 2) ? snapshot : "/v1/my", outcome)
        }
      }
      try waitUntil("200 are answered") { outcome.counts.withLock { $0.answered >= 200 } }
      #expect(server.stop() == 0)
      outcome.isOver.withLock { $0 = true }
      #expect(group.wait(timeout: .now() + longestWait) == .success)
      let counts = outcome.counts.withLock { $0 }
      #expect(counts.broken == 0 && counts.unanswered == 0, "\(counts)")
    }
  }

  /// Sends requests, on a new connection whenever the server closes one, until the server is gone.
  private static func keepAsking(_ port: UInt16, _ target: String, _ outcome: Outcome) {
    // Another server may use the port by then.
    while !outcome.isOver.withLock(\.self), let client = try? RawClient(port: port) {
      var isFirst = true
      var isKept = true
      while isKept {
        let answer = try? client.get(target)
        let isWhole = answer?.status == 200
        outcome.counts.withLock { counts in
          if isWhole { counts.answered += 1 }
          if !isWhole, client.unreadBytes > 0 { counts.broken += 1 }
          // On a new connection without a single byte, only the kernel accepted the client.
          if !isWhole, client.unreadBytes == 0, !isFirst { counts.unanswered += 1 }
        }
        isFirst = false
        isKept = isWhole && answer?["Connection"] != "close"
      }
    }
  }

  private static let tracer = "/usr/bin/strace"

  /// Delays the thread that listens for signals before it does so, as on a busy machine.
  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: tracer), "strace is not installed: Scripts/deps --test"
    ))
  func `a signal right after the start is not lost`() throws {
    let deployment = try DeploymentFolder()
    let server = try RunningSeedbank(
      ["serve", "--config", deployment.file, "--port", "0"], in: deployment.path,
      launcher: [
        Self.tracer, "-D", "-f", "-qq", "-o", "/dev/null", "-e", "trace=epoll_ctl", "-e",
        "inject=epoll_ctl:delay_exit=500000:when=1",
      ])
    #expect(server.stop() == 0)
  }

  /// More than the connections' buffers hold.
  private static let snapshotBytes = 500_000

  /// Random digits, which compress to half.
  private func largeDeployment(rows: Int = 1500) throws -> OperatedDeployment {
    let deployment = try OperatedDeployment()
    try deployment.origin(
      "INSERT INTO shop SELECT 1000 + value, hex(randomblob(1000)), NULL FROM generate_series(1, \(rows))")
    try deployment.folder.succeed("regenerate", "--snapshot")
    return deployment
  }

  /// Starts a download and reads only the beginning of its response.
  private func beginDownload(from server: RunningSeedbank) throws -> (client: RawClient, bytes: Int) {
    let find = try RawClient(port: server.port).get("/v1/my/snapshot?model=1.0")
    let (target, length) = (try #require(find["Location"]), try #require(find["Seedbank-Length"]))
    let client = try RawClient(port: server.port, receives: 2_048)
    client.send("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n")
    #expect(client.sip(1), "it is answered")
    let bytes = try #require(Int(length))
    #expect(bytes > Self.snapshotBytes)
    return (client, bytes)
  }

  private func askToEnd(_ server: RunningSeedbank) throws {
    server.askToEnd()
    try eventually("new connections are refused") {
      (try? RawClient(port: server.port).get("/livez")) == nil ? true : nil
    }
  }

  /// Longer than the front's earlier fixed grace period.
  private static let pause = Duration.seconds(7)

  @Test(.full) func `a slow download is completed after SIGTERM`() throws {
    let deployment = try largeDeployment()
    let server = try serve(deployment)
    let (client, bytes) = try beginDownload(from: server)
    try askToEnd(server)
    let end = ContinuousClock.now + Self.pause
    try waitUntil("the client goes on") { ContinuousClock.now > end }
    let answer = client.readToEnd()
    let head = try #require(answer.firstRange(of: Array("\r\n\r\n".utf8)))
    #expect(answer.count - head.upperBound == bytes)
    #expect(server.waitForEnd() == 0)
  }

  @Test(.full) func `a client that reads nothing delays the shutdown no longer than the grace period`() throws
  {
    let deployment = try largeDeployment()
    let server = try serve(deployment, "GRACE", "1")
    let (client, bytes) = try beginDownload(from: server)
    #expect(server.stop() == 0)
    #expect(client.readToEnd().count < bytes)
  }

  @Test func `a second signal ends the wait for a download at once`() throws {
    let deployment = try largeDeployment()
    let server = try serve(deployment, "GRACE", "3600")
    let (client, bytes) = try beginDownload(from: server)
    try askToEnd(server)
    server.askToEnd()
    #expect(server.waitForEnd() == SIGTERM)
    #expect(client.readToEnd().count < bytes)
  }

  @Test func `readiness fails first, all requests are answered, and a second signal ends the drain at once`()
    throws
  {
    let deployment = try OperatedDeployment()
    let server = try serve(deployment, "DRAIN", "3600")
    #expect(try RawClient(port: server.port).get("/readyz").status == 200)
    server.askToEnd()
    try eventually("readiness goes") {
      try RawClient(port: server.port).get("/readyz").status == 503 ? true : nil
    }
    let answer = try RawClient(port: server.port).get("/v1")
    #expect(answer.status == 200 && answer["Connection"] == "close")
    #expect(try RawClient(port: server.port).get("/livez").status == 200)
    server.askToEnd()
    #expect(server.waitForEnd() == SIGTERM)
  }
}

extension Thread {
  fileprivate static func detachNewThread(in group: DispatchGroup, _ body: @escaping @Sendable () -> Void) {
    group.enter()
    detachNewThread {
      body()
      group.leave()
    }
  }
}
