package import SeedFormat

/// Random documents for ``ImportReference``, with repeated objects, missing members and bad rows.
package enum ImportDocuments {
  package static func random(_ random: inout SplitMix) -> JSONValue {
    .array((0..<Int.random(in: 0...30, using: &random)).map { _ in parent(&random) })
  }

  private static func parent(_ random: inout SplitMix) -> JSONValue {
    var members: [JSONMember] = []
    if !random.chance(5) { members.append(JSONMember("id", key(12, &random))) }
    for name in ["a", "b", "unknown"] where random.chance(70) {
      members.append(JSONMember(name, text(&random)))
    }
    if random.chance(60) { members.append(JSONMember("state", state(&random))) }
    if random.chance(60) { members.append(JSONMember("owner", owner(&random))) }
    if random.chance(50) { members.append(list("children", 4, &random, child)) }
    if random.chance(50) { members.append(list("tags", 3, &random, tag)) }
    if random.chance(50) { members.append(dictionary("notes", &random, note)) }
    return .object(random.chance(50) ? members : members.shuffled(using: &random))
  }

  private static func list(
    _ name: String, _ most: Int, _ random: inout SplitMix, _ element: (inout SplitMix) -> JSONValue
  ) -> JSONMember {
    if random.chance(5) { return JSONMember(name, .null) }
    let count = Int.random(in: 0...most, using: &random)
    return JSONMember(name, .array((0..<count).map { _ in element(&random) }))
  }

  /// An object with some of three names, or null.
  private static func dictionary(
    _ name: String, _ random: inout SplitMix, _ value: (inout SplitMix) -> JSONValue
  ) -> JSONMember {
    if random.chance(5) { return JSONMember(name, .null) }
    let names = ["x", "a b", "é\"7"].filter { _ in random.chance(60) }.shuffled(using: &random)
    return JSONMember(name, .object(names.map { JSONMember($0, value(&random)) }))
  }

  private static func owner(_ random: inout SplitMix) -> JSONValue {
    if random.chance(20) { return random.chance(50) ? .null : key(4, &random) }
    var members = random.chance(4) ? [] : [JSONMember("id", key(4, &random))]
    if random.chance(80) { members.append(JSONMember("name", text(&random))) }
    if random.chance(40) { members.append(JSONMember("level", state(&random))) }
    return .object(members)
  }

  private static func child(_ random: inout SplitMix) -> JSONValue {
    var members = random.chance(5) ? [] : [JSONMember("n", key(3, &random))]
    if random.chance(80) { members.append(JSONMember("v", text(&random))) }
    if random.chance(60) {
      members.append(JSONMember("kind", random.chance(70) ? state(&random) : text(&random)))
    }
    return .object(members)
  }

  private static func tag(_ random: inout SplitMix) -> JSONValue {
    let name = JSONValue.string(random.pick(["red", "green", "", "bl\"ue"]))
    if random.chance(40) { return random.chance(5) ? .null : name }
    var members = random.chance(5) ? [] : [JSONMember("name", name)]
    if random.chance(70) { members.append(JSONMember("color", text(&random))) }
    return .object(members)
  }

  /// Null means no note; a number is invalid.
  private static func note(_ random: inout SplitMix) -> JSONValue {
    if random.chance(15) { return random.chance(70) ? .null : 5 }
    var members: [JSONMember] = []
    if random.chance(80) { members.append(JSONMember("v", text(&random))) }
    if random.chance(60) { members.append(dictionary("marks", &random, mark)) }
    return .object(members)
  }

  private static func mark(_ random: inout SplitMix) -> JSONValue {
    if random.chance(10) { return random.chance(70) ? .null : "bad" }
    return .object(random.chance(80) ? [JSONMember("w", text(&random))] : [])
  }

  private static func key(_ count: Int64, _ random: inout SplitMix) -> JSONValue {
    .integer(Int64.random(in: 1...count, using: &random))
  }

  /// Usually a value in ``ImportReference/numbers``.
  private static func state(_ random: inout SplitMix) -> JSONValue {
    random.chance(4) ? random.pick(["On", "", 8, true]) : random.pick(["on", "off", 7, "7", .null])
  }

  private static func text(_ random: inout SplitMix) -> JSONValue {
    random.pick([
      .null, "", "x", "é\u{0}\"\\", "007", "a longer text that does not fit in one word", 42,
      .real(0.1), .real(-1e300), .real(1_234_567_890_123_456),
    ])
  }
}
