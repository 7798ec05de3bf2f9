import SeedHTTP
import SeedServer

extension Command {
  static let serve = Command(
    definition: CommandDefinition(
      name: "serve",
      abstract: "Serve what is published, without publishing.",
      discussion: """
        Answers HTTP requests from the deployment's publication and holds no key. What another process \
        publishes is served within a second.

        SIGTERM and SIGINT end it when the answers under way are sent; a second one ends it at once.
        """,
      options: [.config] + OptionDefinition.front + OptionDefinition.log,
      examples: [
        CommandExample("seedbank serve", "Serve as seedbank.json says."),
        CommandExample("seedbank serve --host :: --port 80", "Serve the network, by IPv6 and IPv4."),
      ])
  ) { arguments, context in
    let signals = Signals()
    let configuration = try context.configuration(arguments)
    context.console.startLog(configuration.log)
    let front = try Front(configuration, arguments, context)
    try context.console.result("listening on \(front.address)")
    _ = await signals.first()
    front.stop(drain: .seconds(configuration.drainSeconds))
  }
}

extension OptionDefinition {
  /// For every command that runs a front.
  static let front = [
    value("host", "address", setting: "http.host", help: "The IPv4 or IPv6 address to listen on."),
    value("port", "number", short: "p", setting: "http.port", help: "The port; 0 takes any that is free."),
    value(
      "public", "path",
      help: "The web page's folder (default: SEEDBANK_PUBLIC, else a folder Public beside or above seedbank)."
    ),
  ]
}

extension OptionDefinition {
  /// For every command that writes a log.
  static let log = [
    value(
      "log-format", "name", setting: "log.format",
      help: "How messages on stderr look: text (name=value) or json (a line each)."),
    value(
      "log-level", "name", setting: "log.level",
      help: "The least that is told: debug, info, notice, warning or error."),
  ]
}

extension Front {
  /// Starts as the deployment and the options say.
  convenience init(
    _ deployment: DeploymentConfiguration, _ arguments: ParsedArguments, _ context: Context
  ) throws {
    let named = try arguments.path("public", from: context.currentDirectory)
    let console = context.console
    var configuration = FrontConfiguration(
      publication: deployment.publication, pages: try PageFolder(context).folder(named: named),
      http: deployment.http, report: { console.tell($0) })
    configuration.requests = deployment.log.requests
    try self.init(configuration)
  }

  /// Where it can be reached: `http://127.0.0.1:8080`.
  var address: String { "http://\(host.contains(":") ? "[\(host)]" : host):\(port)" }
}
