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
      options: [
        .config,
        .value("host", "address", setting: "http.host", help: "The IPv4 or IPv6 address to listen on."),
        .value(
          "port", "number", short: "p", setting: "http.port", help: "The port; 0 takes any that is free."),
        .publicFolder,
      ],
      examples: [
        CommandExample("seedbank serve", "Serve as seedbank.json says."),
        CommandExample("seedbank serve --host :: --port 80", "Serve the network, by IPv6 and IPv4."),
      ])
  ) { arguments, context in
    let signals = Signals()
    let deployment = try context.configuration(arguments)
    let folder = try PageFolder(context).folder(
      named: arguments.path("public", from: context.currentDirectory))
    let front = try Front(FrontConfiguration(deployment, pages: folder, console: context.console))
    try context.console.result("listening on \(front.address)")
    _ = await signals.first()
    front.stop()
  }
}

extension OptionDefinition {
  /// Where the web page is, for every command that runs a front.
  static let publicFolder = value(
    "public", "path",
    help: "The web page's folder (default: SEEDBANK_PUBLIC, else a folder Public beside or above seedbank).")
}

extension FrontConfiguration {
  /// As the deployment says.
  init(_ deployment: DeploymentConfiguration, pages: String?, console: Console) {
    self.init(
      publication: deployment.publication, pages: pages, http: HTTPServerConfiguration(deployment.http),
      report: { console.warning($0) })
  }
}

extension HTTPServerConfiguration {
  fileprivate init(_ http: HTTPConfiguration) {
    self.init(host: http.host, port: UInt16(http.port))
    if let count = http.threads { threads = count }
    connectionLimit = http.connectionLimit
    idleTimeoutSeconds = http.idleTimeoutSeconds
  }
}

extension Front {
  /// Where it can be reached: `http://127.0.0.1:8080`.
  var address: String { "http://\(host.contains(":") ? "[\(host)]" : host):\(port)" }
}
