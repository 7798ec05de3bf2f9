package import SeedFormat
import SeedSystem

/// How the newest steps read an origin, for people and monitors. It lies in a file of its own beside the working copies: a step
/// that finds the origin as it was reads nothing, and what the one before it cost is still to be told.
package struct OriginReading: Hashable, Sendable {
  /// Milliseconds for which the newest step that read the origin kept its transaction open.
  package var openMilliseconds: Int?
  /// Seconds by which a replica was at most behind its primary when it was last looked at; `nil` if the origin is no server.
  package var lagSeconds: Int?
  /// Which database server was last looked at; `nil` if the origin is no server.
  package var role: OriginServer.Role?
  /// Its name, which no fact has.
  package var server: String?

  /// Seconds after which an open transaction is in the way of others.
  package static let mostOpenSeconds = 600
  private static let mostFileBytes = 4096

  package init(openMilliseconds: Int? = nil, lagSeconds: Int? = nil) {
    (self.openMilliseconds, self.lagSeconds) = (openMilliseconds, lagSeconds)
  }

  /// What was noted last; empty where nothing was, or the file is damaged.
  package static func newest(of dataset: DatasetName, in stateFolder: String) -> OriginReading {
    let bytes = try? DurableFile.readIfPresent(file(of: dataset, in: stateFolder), limit: mostFileBytes)
    guard let bytes, let json = try? JSONValue(parsing: bytes) else { return OriginReading() }
    return OriginReading(json)
  }

  /// Notes what is new of it. It is only told, so no failure to write it is a step's.
  static func note(
    _ dataset: DatasetName, in stateFolder: String, _ change: (inout OriginReading) -> Void
  ) {
    let known = newest(of: dataset, in: stateFolder)
    var reading = known
    change(&reading)
    guard reading != known else { return }
    try? DurableFile.replace(file(of: dataset, in: stateFolder), with: reading.operatorJSON.bytes)
  }

  private static func file(of dataset: DatasetName, in stateFolder: String) -> String {
    "\(stateFolder)/\(dataset).reading"
  }

  /// Seconds for which the transaction was open, where these are too many.
  var tooLongSeconds: Int? {
    openMilliseconds.map { $0 / 1000 }.flatMap { $0 > Self.mostOpenSeconds ? $0 : nil }
  }

  /// For an operator, where the transaction was open for too long.
  package var warning: String? {
    guard let seconds = tooLongSeconds else { return nil }
    return
      "the newest step that read the origin kept its transaction open for \(TimeSpan(seconds: seconds)), and until its end the "
      + "origin keeps what its writers delete: let the origin keep a log (origin.changes), give keys an index in their order, or "
      + "publish from a replica"
  }
}

extension OriginReading {
  /// Passes over what it does not know.
  init(_ json: JSONValue) {
    func count(_ name: String) -> Int? { json[name]?.integer.flatMap { $0 < 0 ? nil : $0 } }
    self.init(openMilliseconds: count("openMilliseconds"), lagSeconds: count("lagSeconds"))
    (role, server) = (json["role"]?.string.flatMap(OriginServer.Role.init), json["server"]?.string)
  }

  /// As the facts have it.
  var json: JSONValue { .object(members) }

  /// As the operator has it.
  package var operatorJSON: JSONValue { .object(members + [JSONMember("server", JSONValue(server))]) }

  private var members: [JSONMember] {
    .init(
      ("openMilliseconds", JSONValue(openMilliseconds)), ("lagSeconds", JSONValue(lagSeconds)),
      ("role", JSONValue(role?.rawValue)))
  }
}
