import SeedFormat
import SeedFront
import SeedPublication
import SeedSystem

extension Console {
  func tellStart(_ configuration: DeploymentConfiguration) {
    let fields: [JSONMember] = .init(
      ("version", .string(Release.version)), ("publication", .string(configuration.publication)),
      ("datasets", .string(configuration.datasets.map(\.name.text).joined(separator: ", "))))
    tell(LogRecord(.info, "Seedbank \(Release.version) starts", fields))
  }

  func tellListening(_ front: Front) throws {
    let fields = [
      JSONMember("address", .string(front.address)), JSONMember("series", JSONValue(front.seriesCount)),
    ]
    tell(LogRecord(.info, "listening on \(front.address)", fields))
    try result("listening on \(front.address)")
  }

  func tellStopping(_ signal: Int32?, drainSeconds: Int) {
    let name =
      signal.map { $0 == SIGTERM ? "SIGTERM" : $0 == SIGINT ? "SIGINT" : "signal \($0)" } ?? "a failure"
    let fields = [JSONMember("reason", .string(name)), JSONMember("drainSeconds", JSONValue(drainSeconds))]
    tell(LogRecord(.info, "stopping because of \(name)", fields))
  }

  func tellStopped(cutting cut: Int) {
    let fields = [JSONMember("cut", JSONValue(cut))]
    tell(LogRecord(cut > 0 ? .warning : .info, "stopped; \(cut) requests under way were cut off", fields))
  }
}

extension Context {
  /// Works until a signal, and reports both to the service manager.
  func work(
    until signals: StopSignals, _ configuration: DeploymentConfiguration,
    _ body: @escaping @Sendable () async -> Void = {}
  ) async {
    let manager = ServiceManager(self)
    manager.tellReady()
    let signal = await withTaskGroup { group in
      group.addTask { await body() }
      let signal = await signals.first()
      group.cancelAll()
      return signal
    }
    manager.tellStopping(frontSeconds: configuration.stopSeconds)
    console.tellStopping(signal, drainSeconds: configuration.drainSeconds)
  }
}
