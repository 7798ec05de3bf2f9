import Foundation
import SeedFormat
import Support

extension TestBucket {
  /// Sets a fault for one request, counted from the next one as 0, or for "all", such as "503 before 2". Returns the
  /// number of requests since the last fault was set, and whether that fault occurred.
  @discardableResult
  func arm(_ fault: String) throws -> (requests: Int, isMet: Bool) {
    let text = try Tool.run(["curl", "-fsS", "-X", "POST", "--data-binary", fault, address("faults")])
    let state = try JSONValue(parsing: Array(text.utf8))
    return (state["requests"]?.integer ?? 0, state["isMet"] == true)
  }

  /// The timestamps that the store accepted at a place, oldest first.
  func commits(at place: String) throws -> [[UInt8]] {
    let text = try Tool.run(["curl", "-fsS", address("commits")])
    let commits = try JSONValue(parsing: Array(text.utf8)).elements ?? []
    return commits.filter { $0["path"]?.string == "/\(place)/metadata/timestamp.json" }
      .compactMap { $0["text"]?.string.map { Array($0.utf8) } }
  }
}

extension OperatedDeployment {
  func name(mirrors: JSONValue) throws {
    let file = folder("seedbank/seedbank.json")
    var members = try JSONValue(parsing: Array(Data(contentsOf: URL(fileURLWithPath: file)))).members ?? []
    members.removeAll { $0.name == "mirrors" }
    members.append(JSONMember("mirrors", mirrors))
    try Data(JSONValue.object(members).bytes).write(to: URL(fileURLWithPath: file))
  }
}
