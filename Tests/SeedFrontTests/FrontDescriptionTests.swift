import SeedFormat
import SeedHTTP
import SeedPublication
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedFront

@Suite struct FrontDescriptionTests {
  private let view: CatalogView
  private let document: JSONValue

  private static let shared = Result {
    let facts = [FrontPublication.transit: SeriesFacts.example(of: FrontPublication.transit)]
    let view = CatalogView(try FrontPublication.usualCatalog.get(), facts: facts)
    let response = Router().answer(HTTPRequest(.get, "/openapi.json"), in: view)
    return (view, try #require(response.json))
  }

  init() throws { (view, document) = try Self.shared.get() }

  @Test func `a series held after a rollback is described with the time of the hold`() throws {
    let series = SeedSeries("transit", model: "2.0")
    var state = SeriesState(
      epoch: .random(), head: .first, floor: .first, model: "2.0", models: [:], publishedAt: .now(),
      pollSeconds: 60)
    func described() -> JSONValue? {
      let metadata = SeriesMetadata(series: series, state: state, objects: [])
      guard case .array(let series)? = [metadata].datasetDescription["series"] else { return nil }
      return series.first
    }
    #expect(described()?["head"] != nil && described()?["hold"] == nil)
    state.hold = SeriesHold(version: .first, since: UTCTime(secondsSinceEpoch: 0))
    #expect(described()?["hold"]?["version"] == .integer(1))
    #expect(described()?["hold"]?["since"] == .string("1970-01-01T00:00:00Z"))
  }

  private func values(of name: String, in value: JSONValue) -> [JSONValue] {
    switch value {
    case .object(let members):
      members.flatMap { ($0.name == name ? [$0.value] : []) + values(of: name, in: $0.value) }
    case .array(let elements): elements.flatMap { values(of: name, in: $0) }
    default: []
    }
  }

  @Test func `every reference resolves and every definition is used`() throws {
    let references = Set(values(of: "$ref", in: document).compactMap(\.string))
    for reference in references {
      let parts = reference.split(separator: "/").dropFirst().map(String.init)
      #expect(parts.reduce(document as JSONValue?) { $0?[$1] } != nil, "\(reference)")
    }
    for kind in ["parameters", "headers", "schemas", "responses"] {
      guard case .object(let members)? = document["components"]?[kind] else {
        Issue.record("no \(kind)")
        continue
      }
      for member in members {
        #expect(references.contains("#/components/\(kind)/\(member.name)"), "\(kind) \(member.name)")
      }
    }
  }

  @Test func `descriptions of series, facts and steps have exactly the documented members`() throws {
    let series = try #require(
      Router().answer(HTTPRequest(.get, "/v1/transit"), in: view).json?["series"]?.elements?.first?.members)
    let schema = try #require(document["components"]?["schemas"]?["Series"])
    let members = try #require(schema["properties"]?.members).map(\.name)
    let required = try #require(schema["required"]?.elements).compactMap(\.string)
    #expect(Set(required).isSubset(of: series.map(\.name)) && Set(series.map(\.name)).isSubset(of: members))
    let facts = try #require(Router().answer(HTTPRequest(.get, "/v1/transit/facts?model=2.1"), in: view).json)
    let step = try #require(facts["steps"]?.elements?.first)
    for (name, found) in [("Facts", facts), ("Step", step)] {
      let described = document["components"]?["schemas"]?[name]?["properties"]?.members
      #expect(Set(found.members?.map(\.name) ?? []) == Set(described?.map(\.name) ?? []), "\(name)")
    }
    let outcomes = document["components"]?["schemas"]?["Step"]?["properties"]?["outcome"]?["enum"]?.elements
    #expect(outcomes?.compactMap(\.string) == StepRecord.Outcome.allCases.map(\.rawValue))
  }

  @Test func `every problem type and every signature state is documented`() throws {
    let states = document["components"]?["schemas"]?["Signature"]?["properties"]?["state"]?["enum"]
    let all = SignatureExpiry.State.allCases.map(\.rawValue)
    #expect(Set((states?.elements ?? []).compactMap(\.string)) == Set(all))
    let types = document["components"]?["schemas"]?["Problem"]?["properties"]?["type"]?["enum"]
    #expect(Set((types?.elements ?? []).compactMap(\.string)) == Set(ProblemType.allCases.map(\.rawValue)))
    let responses = try #require(document["components"]?["responses"]?.members)
    for type in ProblemType.allCases {
      #expect(responses.contains { $0.name == "Problem\(type.status)" }, "\(type)")
    }
  }

  /// RFC 9110, 14.2: ranges apply to GET only.
  @Test func `HEAD is documented like GET without contents and ranges`() throws {
    for path in try #require(document["paths"]?.members) {
      let (get, head) = (try #require(path.value["get"]), try #require(path.value["head"]))
      #expect(head["parameters"] == get["parameters"] && head["summary"] == get["summary"], "\(path.name)")
      let responses = try #require(get["responses"]?.members).filter { !["206", "416"].contains($0.name) }
      let described = try #require(head["responses"]?.members)
      #expect(described.map(\.name) == responses.map(\.name), "\(path.name)")
      for (own, other) in zip(described, responses) {
        #expect(own.value["content"] == nil && own.value["headers"] == other.value["headers"], "\(path.name)")
      }
    }
  }

  @Test func `documented maximums of numbers and the pattern of dataset names match the limits`() {
    let schemas = document["components"]?["schemas"]
    #expect(schemas?["Changes"]?["properties"]?["to"]?["maximum"]?.integer == Int(Limits.exactJSONInteger))
    let major = document["components"]?["parameters"]?["major"]?["schema"]?["maximum"]
    #expect(major?.integer == Limits.modelNumber)
    let dataset = document["components"]?["parameters"]?["dataset"]?["schema"]?["pattern"]?.string
    #expect(dataset == "^[a-z]([a-z0-9-]{0,\(Limits.datasetNameLength - 2)}[a-z0-9])?$")
  }
}
