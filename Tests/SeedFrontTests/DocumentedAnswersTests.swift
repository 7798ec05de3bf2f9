import Foundation
import SeedFormat
import SeedFront
import SeedHTTP
import SeedPublication
import SeedSystem
import SeedTrust
import Support
import Testing

/// Compares each response in `openapi.json` and each of its headers with real fronts.
@Suite struct DocumentedAnswersTests {
  private let document: JSONValue
  private let publication: FrontPublication
  private let snapshot: PublishedObject
  private let front: Front

  /// Headers of message framing, and those that OpenAPI describes elsewhere.
  private static let framing: Set<String> = ["Date", "Content-Length", "Connection", "Content-Type"]

  /// Beyond the limits of a header section and of a target.
  private static let (manyFields, longTarget) = (40, 2_100)

  /// A deprecated series whose changes take two pages.
  init() throws {
    publication = try FrontPublication()
    let transit = FrontPublication.transit
    snapshot = try publication.snapshot(transit, 102)
    let pageFilling = Limits.changesPageBytes
    try publication.publish(
      transit, head: 102, floor: 100,
      [
        snapshot, publication.delta(transit, 100, 101, padding: pageFilling),
        publication.delta(transit, 101, 102),
      ], lifecycle: .deprecated(sunset: "2027-03-01", message: "Use 3.0."))
    let now = UTCTime(secondsSinceEpoch: 1_790_000_000)
    try publication.directory.facts.write(
      SeriesFacts(transit, writtenAt: now))
    front = try Front(FrontConfiguration(publication: publication.directory.path))
    let answer = try RawClient(port: front.port).get("/openapi.json")
    document = try JSONValue(parsing: answer.body)
  }

  private typealias Answers = [Int: [RawClient.Response]]

  /// Headers of a shared response description, and the headers that were sent.
  private typealias Shared = (described: Set<String>, sent: Set<String>)

  @Test func `responses and headers of the front match its OpenAPI document`() throws {
    var shared: [String: Shared] = [:]
    let others = try (empty: emptyFront(), retired: retiredFront())
    for path in try #require(document["paths"]?.members) {
      for method in ["get", "head", "options"] {
        let responses = try #require(path.value[method]?["responses"]?.members, "\(method) \(path.name)")
        var answers = try answers(path.name, method.uppercased(), others.empty, others.retired)
        if responses.contains(where: { $0.name == "500" }) {
          answers[500] = [try answerOfDamage(path.name, method.uppercased())]
        }
        let name = Comment(rawValue: "\(method) \(path.name)")
        #expect(Set(answers.keys.map(String.init)) == Set(responses.map(\.name)), name)
        for response in responses {
          try check(response, answers[Int(response.name) ?? 0] ?? [], name, &shared)
        }
      }
    }
    #expect(shared.count > 5)
    for (name, headers) in shared {
      #expect(headers.described.subtracting(headers.sent) == [], "\(name) describes what is never sent")
    }
  }

  private func check(
    _ described: JSONMember, _ answers: [RawClient.Response], _ name: Comment,
    _ shared: inout [String: Shared]
  ) throws {
    let reference = described.value["$ref"]?.string?.split(separator: "/").dropFirst().map(String.init)
    let response = try #require(
      reference.map { $0.reduce(document as JSONValue?) { $0?[$1] } } ?? described.value)
    let names = Set((response["headers"]?.members ?? []).map(\.name))
    let sent = answers.map { Set($0.fields.map(\.name)).subtracting(Self.framing) }
    let all = sent.reduce(into: Set<String>()) { $0.formUnion($1) }
    #expect(all.subtracting(names).isEmpty, "\(name) \(described.name) sends what is not described")
    // A shared problem description covers all operations; one of them may send a header that another does not.
    if let shareName = reference?.last {
      shared[shareName, default: (names, [])].sent.formUnion(all)
      return
    }
    #expect(names.subtracting(all).isEmpty, "\(name) \(described.name) describes what is never sent")
  }

  // MARK: Requests

  /// A target that makes the operation succeed.
  private func target(_ path: String) -> String {
    let file = String(snapshot.filePath.split(separator: "/").last ?? "")
    let target = path.replacing("{dataset}", with: "transit").replacing("{major}", with: "2")
      .replacing("{object}", with: file).replacing("{file}", with: "timestamp.json")
    if path.hasSuffix("/snapshot") { return target + "?model=2.1" }
    if path.hasSuffix("/facts") { return target + "?model=2.1" }
    return path.hasSuffix("/changes") ? target + "?model=2.1&since=100" : target
  }

  private func answers(_ path: String, _ method: String, _ empty: Front, _ retired: Front) throws -> Answers {
    var answers: Answers = [:]
    func ask(_ front: Front, _ target: String, _ fields: String = "", _ other: String? = nil) throws {
      let answer = try RawClient(port: front.port).get(target, method: other ?? method, extra: fields)
      answers[answer.status, default: []].append(answer)
    }
    let target = target(path)
    let more = target.contains("?") ? "&" : "?"
    try ask(front, target)
    try ask(front, target, "X: y\r\n" + String(repeating: "X: y\r\n", count: Self.manyFields))
    try ask(front, target + more + String(repeating: "x", count: Self.longTarget))
    try ask(front, target, "Host: other\r\n")
    answers[505, default: []].append(try answerToNewVersion(target, method))
    guard method != "OPTIONS" else {
      try ask(front, target, "", "POST")
      return answers
    }
    for fields in ["If-None-Match: *\r\n", "If-Match: \"x\"\r\n", "Accept-Encoding: gzip\r\n"] {
      try ask(front, target, fields)
    }
    for (resource, query) in [("changes", "since=100&model=2.1"), ("snapshot", "encoding=gzip&model=2.1")]
    where target.contains("/\(resource)?") { try ask(front, "/v1/transit/\(resource)?\(query)") }
    if method == "GET" {
      for range in ["0-1", "999999999-"] { try ask(front, target, "Range: bytes=\(range)\r\n") }
    }
    try ask(
      front, target.replacing("/transit/2/", with: "/transit/3/").replacing("timestamp", with: "9.root"))
    if path.contains("/{dataset}") && !path.hasPrefix("/targets") {
      try ask(front, target.replacing("/transit", with: "/none"))
    }
    if path.hasPrefix("/metadata") {
      try ask(front, "/metadata/2.root.json")
      for fields in ["Accept-Encoding: gzip\r\n", "If-None-Match: *\r\n"] {
        try ask(front, "/metadata/1.root.json", fields)
      }
    }
    if target.contains("model=") { try ask(retired, target) }
    try ask(empty, target)
    return answers
  }

  private func answerToNewVersion(_ target: String, _ method: String) throws -> RawClient.Response {
    let client = try RawClient(port: front.port)
    client.send("\(method) \(target) HTTP/1.2\r\nHost: localhost\r\n\r\n")
    return try client.response(hasBody: method != "HEAD")
  }

  private func emptyFront() throws -> Front {
    try Front(FrontConfiguration(publication: publication.folder("nothing")))
  }

  private func retiredFront() throws -> Front {
    let other = try FrontPublication()
    let series = FrontPublication.transit
    try other.publish(
      series, head: 102, floor: 102, [other.snapshot(series, 102)], lifecycle: .retired(message: nil))
    return try Front(FrontConfiguration(publication: other.directory.path))
  }

  /// A response of a publication whose object files are all missing.
  private func answerOfDamage(_ path: String, _ method: String) throws -> RawClient.Response {
    let target = target(path)
    let front = try Front(FrontConfiguration(publication: publication.directory.path))
    let (targets, away) = ("\(publication.directory.path)/targets", publication.folder("away"))
    try FileManager.default.moveItem(atPath: targets, toPath: away)
    defer { try? FileManager.default.moveItem(atPath: away, toPath: targets) }
    return try RawClient(port: front.port).get(target, method: method)
  }
}
