import Foundation
import SeedFormat
import SeedHTTP
import SeedPublication
import SeedSystem

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension Command {
  private static let readySeconds = 5

  static let ready = Command(
    name: "ready", abstract: "Ask a front whether it is ready.",
    discussion: """
      Requests /readyz once, for a container's health check or a load balancer's script. Without an address, it asks the \
      front of this deployment on this machine.

      Exit codes: 0 ready, 69 not ready or no answer in \(readySeconds) seconds; see the message.
      """,
    arguments: [
      .argument(
        "url", isRequired: false, help: "The front's address (default: from http.host and http.port).")
    ],
    options: [.config],
    examples: [
      ("seedbank ready", "Ask the front of this deployment."),
      ("seedbank ready https://seeds.example", "Ask any front."),
    ]
  ) { arguments, context in
    let server = try arguments.flag("url") ? arguments.server("url") : ownFront(arguments, context)
    let address = server.absoluteString.printable
    if let obstacle = await obstacle(at: server) {
      throw Refusal(.unavailable, "\(address) is not ready: \(obstacle)".closed)
    }
    try context.console.result("\(address) is ready.")
  }

  private static func ownFront(_ arguments: ParsedArguments, _ context: Context) throws -> URL {
    let configuration = try context.configuration(arguments)
    guard let address = configuration.http.ownAddress else {
      throw Refusal.configuration(
        configuration.file, path: "http.port",
        "expected the front's port, found 0 (any free port); give the address that 'seedbank serve' printed")
    }
    // A proxy in the environment cannot reach a front on this machine.
    setenv("no_proxy", "*", 1)
    return address
  }

  private static func obstacle(at server: URL) async -> String? {
    let session = URLSession(configuration: .ephemeral)
    // Limits the whole request. URLSession's own timeout would start again with each byte.
    let limit = Task {
      try await Task.sleep(for: .seconds(readySeconds))
      session.invalidateAndCancel()
    }
    defer { limit.cancel() }
    do {
      let (body, response) = try await session.data(from: server.appending(path: "readyz"))
      return obstacle(status: (response as? HTTPURLResponse)?.statusCode ?? 0, body: [UInt8](body))
    } catch let error as URLError where error.code == .cancelled {
      return "it has not answered within \(readySeconds) seconds"
    } catch {
      return
        "\(error.localizedDescription.unclosed); start it with 'seedbank run' or 'seedbank serve', or give its address"
    }
  }

  /// Why a front is not ready, according to its response; nil if it is ready.
  private static func obstacle(status: Int, body: [UInt8]) -> String? {
    if status == 200 { return nil }
    let said = (try? JSONValue(parsing: body)) ?? .null
    if let error = said["error"]?.string { return error.clipped }
    guard let series = said["series"]?.elements else {
      return "it answered with status \(status) instead of 200; is this a front's address?"
    }
    if series.isEmpty { return "nothing is published; run 'seedbank regenerate'" }
    let lacking = series.filter { $0["snapshot"] == nil }.map {
      "\($0["dataset"]?.string?.clipped ?? "a dataset"), series \($0["major"]?.integer ?? 0)"
    }
    return "\(lacking.joined(separator: ", ")): no snapshot can be served; run 'seedbank verify'"
  }
}

extension HTTPServerConfiguration {
  /// The front's address on this machine; nil if the port is dynamic.
  fileprivate var ownAddress: URL? {
    guard port != 0 else { return nil }
    // A wildcard address includes the loopback address; `::` accepts IPv4 too.
    let reached = ["0.0.0.0", "::"].contains(host) ? "127.0.0.1" : host
    return URL(string: "http://\(reached.contains(":") ? "[\(reached)]" : reached):\(port)")
  }
}
