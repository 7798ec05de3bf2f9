import SeedFormat
import SeedFront
import SeedHTTP
import SeedPublication
import SeedPublisher
import SeedSystem

import class Foundation.Bundle

extension Command {
  static let serve = Command(
    name: "serve", abstract: "Serve the publication, without publishing.",
    discussion: """
      Answers HTTP requests from the deployment's publication. It needs no key. A version that another \
      process publishes is served within a second.

      After SIGTERM or SIGINT it finishes all responses in progress, including downloads, and ends after http.graceSeconds \
      (default: 30) at the latest. A second signal ends it at once.
      """,
    options: [.config] + Parameter.front + Parameter.log,
    examples: [
      ("seedbank serve", "Serve as configured in seedbank.json."),
      ("seedbank serve --host :: --port 80", "Serve on all networks, over IPv6 and IPv4."),
    ]
  ) { arguments, context in
    let signals = try StopSignals()
    let configuration = try context.configuration(arguments)
    context.console.startLog(configuration.log.format, from: configuration.log.level)
    context.console.logStart(configuration)
    let front = try Front(configuration, arguments, context)
    try context.console.announce(front)
    await context.work(until: signals, configuration)
    context.console.logStopped(cutting: front.stop(configuration))
  }
}

extension Parameter {
  static let front = [
    value("host", "address", setting: "http.host", help: "The IPv4 or IPv6 address to listen on."),
    value("port", "number", short: "p", setting: "http.port", help: "The port; 0 for any free port."),
    value(
      "public", "folder",
      help: "The web page's folder (default: SEEDBANK_PUBLIC, else the installed one)."),
  ]

  static let log = [
    value(
      "log-format", "name", setting: "log.format",
      help: "The format of messages on stderr: text (name=value) or json (one object per line)."),
    value(
      "log-level", "name", setting: "log.level",
      help: "The lowest level that is logged: debug, info, notice, warning or error."),
  ]
}

extension Front {
  convenience init(
    _ deployment: DeploymentConfiguration, _ arguments: ParsedArguments, _ context: Context,
    sharing publication: PublicationDirectory? = nil, following progress: FollowProgress? = nil,
    graceSeconds: Int? = nil
  ) throws {
    let named = try arguments.path("public")
    var configuration = FrontConfiguration(
      publication: deployment.publication, pages: try context.pageFolder(named: named),
      http: deployment.http, report: context.console.log)
    configuration.requests = deployment.log.requests
    if let publication { configuration.publication = publication }
    configuration.follow = progress
    // Devices may need this long for a download, and the files stay as long.
    let kept = [graceSeconds ?? 0] + deployment.datasets.map(\.policy.graceSeconds)
    configuration.objectGraceSeconds = max(configuration.objectGraceSeconds, kept.max() ?? 0)
    try self.init(configuration)
  }

  func stop(_ deployment: DeploymentConfiguration) -> Int {
    stop(drain: .seconds(deployment.drainSeconds), gracePeriod: .seconds(deployment.graceSeconds))
  }

  var address: String { "http://\(host.contains(":") ? "[\(host)]" : host):\(port)" }
}

extension Context {
  private static let pageVariable = "SEEDBANK_PUBLIC"

  /// The page's folder in a clone and in an installed package, relative to any folder above the binary.
  private static let usualPlaces = ["Public", "share/seedbank/Public"]

  fileprivate func pageFolder(named option: String?) throws(Refusal) -> String? {
    if let named = option ?? environment[Self.pageVariable], !named.isEmpty {
      let named = Paths.absolute(named, from: currentDirectory)
      if holdsPage(named) { return named }
      throw Refusal(.configuration, "\(named.printable): expected a folder with index.html.")
    }
    let parts = Folder.parent(of: Bundle.main.executablePath ?? "/").split(separator: "/")
    return (0...parts.count).flatMap { count in
      let above = "/" + parts.dropLast(count).joined(separator: "/")
      return Self.usualPlaces.map { Paths.absolute($0, from: above) }
    }.first(where: holdsPage)
  }

  private func holdsPage(_ folder: String) -> Bool { Folder.exists("\(folder)/index.html") }
}
