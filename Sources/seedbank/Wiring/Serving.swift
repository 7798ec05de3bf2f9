import SeedFormat
import SeedFront
import SeedPublication
import SeedSystem

extension Console {
  func logStart(_ configuration: DeploymentConfiguration) {
    let fields: [JSONMember] = .init(
      ("version", .string(Release.version)), ("publication", .string(configuration.publication)),
      ("datasets", .string(configuration.datasets.map(\.name.text).joined(separator: ", "))))
    log(LogRecord(.info, "Seedbank \(Release.version) starts", fields))
  }

  func announce(_ front: Front) throws {
    let fields = [
      JSONMember("address", .string(front.address)), JSONMember("series", JSONValue(front.seriesCount)),
    ]
    log(LogRecord(.info, "listening on \(front.address)", fields))
    try result("listening on \(front.address)")
  }

  func logStopping(_ signal: Int32?, isOvertaken: Bool = false, drainSeconds: Int) {
    let cause =
      signal.map { $0 == SIGTERM ? "SIGTERM" : $0 == SIGINT ? "SIGINT" : "signal \($0)" } ?? "a failure"
    let name = isOvertaken ? "another publisher" : cause
    let fields = [JSONMember("reason", .string(name)), JSONMember("drainSeconds", JSONValue(drainSeconds))]
    log(LogRecord(.info, "stopping because of \(name)", fields))
  }

  func logStopped(cutting cut: Int) {
    let fields = [JSONMember("cut", JSONValue(cut))]
    log(LogRecord(cut > 0 ? .warning : .info, "stopped; \(cut) requests in progress were cut off", fields))
  }
}

extension Context {
  /// Runs `body` until a signal, then cancels it. Notifies the service manager of the start and the stop. The returned
  /// task may still wait, for example for a disk that hangs.
  @discardableResult
  func work(
    until signals: StopSignals, _ configuration: DeploymentConfiguration,
    _ body: @escaping @Sendable () async -> Void = {}
  ) async -> Task<Void, Never> {
    let manager = ServiceManager(self)
    manager.notifyReady()
    let work = Task { await body() }
    let signal = await signals.first()
    work.cancel()
    manager.notifyStopping(frontSeconds: configuration.stopSeconds)
    console.logStopping(signal, drainSeconds: configuration.drainSeconds)
    return work
  }
}

/// Notifies the service manager, such as systemd, with the datagrams of sd_notify(3), but without its library.
struct ServiceManager: Sendable {
  /// A path, or an abstract name after `@`; empty if no manager waits for messages.
  private let address: String
  private let console: Console

  private static let variable = "NOTIFY_SOCKET"
  /// Seconds per extension of a start, and seconds between extensions.
  private static let (extensionSeconds, extensionInterval) = (60, 10)
  /// Seconds added to the stop timeout, because a running step or `on.…` program may end after the front.
  private static let endSeconds = 30
  /// The timeout of a message in seconds, because a manager that does not read must not block the service.
  private static let sendSeconds = 1

  init(_ context: Context) {
    (address, console) = (context.environment[Self.variable] ?? "", context.console)
  }

  /// Call it when the front is listening and everything that can be published has been published.
  func notifyReady() { notify("READY=1") }

  /// Extends the start timeout until cancelled, because the first step of a large origin takes minutes.
  func extendStart() async {
    while !Task.isCancelled, notify(Self.extending(Self.extensionSeconds)) {
      try? await Task.sleep(for: .seconds(Self.extensionInterval))
    }
  }

  func notifyStopping(frontSeconds seconds: Int) {
    notify("STOPPING=1\n" + Self.extending(seconds + Self.endSeconds))
  }

  private static func extending(_ seconds: Int) -> String { "EXTEND_TIMEOUT_USEC=\(seconds * 1_000_000)" }

  /// Returns false if no manager received it, which does not stop the service.
  @discardableResult
  private func notify(_ message: String) -> Bool {
    guard !address.isEmpty else { return false }
    do {
      try send(message)
      return true
    } catch {
      console.warning("Cannot notify the service manager: \(error).")
      return false
    }
  }

  private func send(_ message: String) throws(FileError) {
    let bytes = Array(message.utf8)
    var (target, name) = (sockaddr_un(), Array(address.utf8))
    guard name.count < MemoryLayout.size(ofValue: target.sun_path) else {
      throw FileError("send to", address, ENAMETOOLONG)
    }
    // The first byte of an abstract name is zero.
    if name.first == UInt8(ascii: "@") { name[0] = 0 }
    target.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &target.sun_path) { $0.copyBytes(from: name) }
    let descriptor = try retrying("open a socket for", address) {
      socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    }
    defer { close(descriptor) }
    var patience = timeval(tv_sec: Self.sendSeconds, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
    _ = try retrying("send to", address) {
      withUnsafeBytes(of: target) {
        $0.withMemoryRebound(to: sockaddr.self) {
          sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0.baseAddress, length)
        }
      }
    }
  }
}
