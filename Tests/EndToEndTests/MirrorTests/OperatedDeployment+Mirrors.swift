import Foundation
import SeedFormat
import Support

extension TestBucket {
  /// What becomes of the request of a number, counted from the next one as 0, or of "all": "503 before 2". Returns how many
  /// requests came since the last fault, and whether that one has been met.
  @discardableResult
  func arm(_ fault: String) throws -> (requests: Int, isMet: Bool) {
    let text = try Tool.run(["curl", "-fsS", "-X", "POST", "--data-binary", fault, address("faults")])
    let state = try JSONValue(parsing: Array(text.utf8))
    return (state["requests"]?.integer ?? 0, state["isMet"] == true)
  }
}

extension OperatedDeployment {
  /// Names the mirrors in the configuration, in place of those that it named before.
  func name(mirrors: JSONValue) throws {
    let file = folder("seedbank/seedbank.json")
    var members = try JSONValue(parsing: Array(Data(contentsOf: URL(fileURLWithPath: file)))).members ?? []
    members.removeAll { $0.name == "mirrors" }
    members.append(JSONMember("mirrors", mirrors))
    try Data(JSONValue.object(members).bytes).write(to: URL(fileURLWithPath: file))
  }
}
