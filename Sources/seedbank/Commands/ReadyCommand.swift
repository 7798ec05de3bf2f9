import SeedFormat
import SeedSystem

import struct Foundation.URL

extension Command {
  static let ready = Command(
    name: "ready", abstract: "Ask a front whether it is ready.",
    discussion: """
      Asks /readyz once, for a container's health check or a load balancer's script. Without an address it asks the \
      front of this deployment, on this machine.

      Exit codes: 0 ready, 69 not ready or no answer in time; see the message.
      """,
    arguments: [
      .argument(
        "url", isRequired: false, help: "The front's address (default: from http.host and http.port).")
    ],
    options: [
      .config,
      .value(
        "timeout", "seconds", help: "How long to wait for the answer (default: \(ReadyProbe.usualSeconds))."),
      .json,
    ],
    examples: [
      ("seedbank ready", "The front of this deployment."),
      ("seedbank ready https://seeds.example --timeout 2", "Any front, with less patience."),
    ]
  ) { arguments, context in
    let seconds =
      try arguments.integer("timeout", in: ReadyProbe.secondsAllowed) ?? ReadyProbe.usualSeconds
    let server = try arguments.server("url") ?? ownFront(arguments, context)
    let readiness = await ReadyProbe(server: server, limit: .seconds(seconds)).ask()
    try tell(readiness, server, context.console)
  }

  private static func ownFront(_ arguments: ParsedArguments, _ context: Context) throws -> URL {
    let configuration = try context.configuration(arguments)
    guard let address = configuration.http.ownAddress else {
      throw ConfigurationError(
        configuration.file, path: "http.port",
        "expected the front's port, found 0, which means any; give the address that 'seedbank serve' printed")
    }
    // An internet proxy cannot reach a front on this machine.
    setenv("no_proxy", "*", 1)
    return address
  }

  private static func tell(_ readiness: Readiness, _ server: URL, _ console: Console) throws {
    let address = server.absoluteString
    let facts: JSONValue = [
      "ready": .bool(readiness.obstacle == nil), "url": .string(address),
      "status": JSONValue(readiness.status),
      "reason": JSONValue(readiness.obstacle),
    ]
    guard let obstacle = readiness.obstacle else {
      return try console.report(facts, "\(address.printable) is ready.")
    }
    if console.isJSON { try console.result(facts) }
    throw CommandFailure(
      .unavailable, "\(address.printable) is not ready: \(obstacle)".closed, isInResult: console.isJSON)
  }
}
