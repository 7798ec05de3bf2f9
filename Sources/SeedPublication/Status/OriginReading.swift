package import SeedFormat
import SeedSystem

/// How the newest steps read an origin. Stored apart from the step records, because a step that finds the origin
/// unchanged reads nothing.
package struct OriginReading: Hashable, Sendable {
  /// How long the newest step that read the origin kept its transaction open.
  package var openMilliseconds: Int?
  /// The greatest lag of a replica at the last check; `nil` if the origin is not a server.
  package var lagSeconds: Int?
  /// The role of the database server that answered last; `nil` if the origin is not a server.
  package var role: OriginServer.Role?
  /// The server's name, which is not part of the facts.
  package var server: String?

  /// A transaction that is open for longer obstructs other sessions.
  package static let mostOpenSeconds = 600

  package init(openMilliseconds: Int? = nil, lagSeconds: Int? = nil) {
    (self.openMilliseconds, self.lagSeconds) = (openMilliseconds, lagSeconds)
  }

  /// Reads the last measurements. Returns empty ones if the file is missing or damaged.
  package static func newest(of dataset: DatasetName, in stateFolder: String) -> OriginReading {
    StateFile.json(file(of: dataset, in: stateFolder)).map(OriginReading.init) ?? OriginReading()
  }

  /// Updates the file. Ignores errors because measurements must not make a step fail.
  package static func note(
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

  /// How long the transaction was open; `nil` unless that was too long.
  package var tooLongSeconds: Int? {
    openMilliseconds.map { $0 / 1000 }.flatMap { $0 > Self.mostOpenSeconds ? $0 : nil }
  }

  package var warning: String? {
    guard let seconds = tooLongSeconds else { return nil }
    return
      "the newest step that read the origin kept its transaction open for \(TimeSpan(seconds: seconds)), during which the "
      + "database cannot reclaim deleted rows: set up a log (origin.changes), create an index in the order of each key, or "
      + "publish from a replica"
  }

  /// Ignores unknown members.
  init(_ json: JSONValue) {
    self.init(openMilliseconds: json["openMilliseconds"]?.count, lagSeconds: json["lagSeconds"]?.count)
    (role, server) = (json["role"]?.string.flatMap(OriginServer.Role.init), json["server"]?.string)
  }

  var json: JSONValue { .object(members) }

  /// The form for the operator, with the server's name.
  package var operatorJSON: JSONValue { .object(members + [JSONMember("server", JSONValue(server))]) }

  private var members: [JSONMember] {
    .init(
      ("openMilliseconds", JSONValue(openMilliseconds)), ("lagSeconds", JSONValue(lagSeconds)),
      ("role", JSONValue(role?.rawValue)))
  }
}

package struct OriginServer: Hashable, Sendable {
  package enum Role: String, Sendable { case primary, standby }

  /// Only for the operator.
  package let name: String
  package let role: Role

  package init(name: String, role: Role) { (self.name, self.role) = (name, role) }
}
