import SeedSystem

/// The manager that started this process as a service, such as systemd: what it wants to hear, and how often.
struct ServiceManager: Sendable {
  private let socket: NotifySocket?
  private let report: @Sendable (String) -> Void
  private let isReported = SharedFlag()
  /// Between two signs of life; `nil` where nobody waits for them.
  let watchdogInterval: Duration?

  static let socketVariable = "NOTIFY_SOCKET"
  static let watchdogVariable = "WATCHDOG_USEC"
  static let watchdogProcessVariable = "WATCHDOG_PID"
  /// They are meant for this process alone: a program that it starts could speak in its name.
  static let variables = [socketVariable, watchdogVariable, watchdogProcessVariable]

  /// That of a program which this process starts: where keys lie, and who watches over this process, is nothing that it
  /// needs.
  static func environment(forOthers environment: [String: String]) -> [String: String] {
    environment.filter {
      !variables.contains($0.key) && !($0.key.hasPrefix("SEEDBANK_") && $0.key.contains("KEY"))
    }
  }

  /// Seconds between two looks at what the status says.
  private static let statusSeconds = 2
  /// Seconds for which a start that is still at work asks, and how often it does.
  private static let (extensionSeconds, extensionInterval) = (60, 10)
  /// Seconds that the end takes at most once the front has ended: a step, and programs that are told something.
  private static let endSeconds = 30

  init(
    _ environment: [String: String], process: Int32 = getpid(), report: @escaping @Sendable (String) -> Void
  ) {
    self.report = report
    let address = environment[Self.socketVariable] ?? ""
    socket = NotifySocket(address)
    watchdogInterval = socket == nil ? nil : Self.interval(environment, process, report)
    if socket == nil, !address.isEmpty {
      report(
        "\(Self.socketVariable): expected a socket's path or a name after @, found \"\(address.clipped)\";"
          + " the service manager is told nothing.")
    }
  }

  /// Half of the time after which the manager takes a silent service for dead.
  private static func interval(
    _ environment: [String: String], _ process: Int32, _ report: (String) -> Void
  ) -> Duration? {
    guard let text = environment[watchdogVariable], !text.isEmpty else { return nil }
    // A parent's variables may have come down to a process that they do not mean.
    if let named = environment[watchdogProcessVariable], !named.isEmpty, named != "\(process)" { return nil }
    guard let microseconds = Int(text), microseconds > 0 else {
      report(
        "\(watchdogVariable): expected microseconds above 0, found \"\(text.clipped)\";"
          + " no sign of life is given.")
      return nil
    }
    return .microseconds(max(1, microseconds / 2))
  }

  var isThere: Bool { socket != nil }

  /// Where nobody listens any more that is said once: the service goes on.
  func tell(_ messages: ServiceMessage...) {
    do {
      try socket?.send(messages.map(\.text).joined(separator: "\n"))
    } catch {
      if isReported.raise() { report("The service manager does not hear: \(error).") }
    }
  }

  /// Says again and again that the start goes on, until it is cancelled: the first step of a large origin takes minutes.
  func extendStart() async {
    while !Task.isCancelled, isThere {
      tell(
        .extend(seconds: Self.extensionSeconds), .status("Publishing what the origins hold, before it serves")
      )
      try? await Task.sleep(for: .seconds(Self.extensionInterval))
    }
  }

  /// `seconds`: what the front takes for its end at most.
  func tellStopping(frontSeconds seconds: Int) {
    tell(
      .stopping, .status("Stopping: requests under way are answered"),
      .extend(seconds: seconds + Self.endSeconds))
  }

  /// Tells the status where it changed, until it is cancelled.
  func reportStatus(_ status: @Sendable () -> ServiceStatus) async {
    var told: ServiceStatus?
    while !Task.isCancelled, isThere {
      let now = status()
      if now != told { tell(.status(now.text)) }
      told = now
      try? await Task.sleep(for: .seconds(Self.statusSeconds))
    }
  }

  /// Gives a sign of life while `isHealthy`, until it is cancelled.
  func showLife(_ isHealthy: @Sendable () async -> Bool) async {
    guard let watchdogInterval else { return }
    var isSilent = false
    while !Task.isCancelled {
      if await isHealthy() {
        tell(.alive)
        isSilent = false
      } else if !isSilent, !Task.isCancelled {
        isSilent = true
        report("This process is not healthy: its front does not answer, or a dataset's loop stands still.")
      }
      try? await Task.sleep(for: watchdogInterval)
    }
  }
}

/// What a service says to the manager that started it, in the words of sd_notify(3).
enum ServiceMessage: Hashable {
  /// It listens, and what can be published is.
  case ready
  /// A line for people.
  case status(String)
  case stopping
  /// The start, or the end, needs that much longer from now on.
  case extend(seconds: Int)
  /// It is well: see ``ServiceHealth``.
  case alive

  /// Letters of a status. systemd shows it on one line.
  private static let mostStatusLetters = 400

  var text: String {
    switch self {
    case .ready: "READY=1"
    case .status(let text): "STATUS=\(String(text.prefix(Self.mostStatusLetters)).printable)"
    case .stopping: "STOPPING=1"
    case .extend(let seconds): "EXTEND_TIMEOUT_USEC=\(seconds * 1_000_000)"
    case .alive: "WATCHDOG=1"
    }
  }
}

extension Context {
  var serviceManager: ServiceManager { ServiceManager(environment) { console.warning($0) } }
}

/// A flag that many may raise and one is first to.
final class SharedFlag: Sendable {
  private let isRaised = Mutex(false)

  /// True for the first one.
  func raise() -> Bool {
    isRaised.withLock { isRaised in
      defer { isRaised = true }
      return !isRaised
    }
  }
}
