import SeedFormat
import SeedPublisher
import Support
import Testing

/// Changes to the models on disk while a process runs with those that it loaded.
@Suite struct ModelDriftTests {
  private static let dataset: DatasetName = "transit"
  private static let held = [
    model("1.0", "CREATE TABLE stop(id INTEGER PRIMARY KEY)"),
    model("2.0", "CREATE TABLE halt(id INTEGER PRIMARY KEY)"),
  ]

  private func drift(to found: [ModelDefinition], retired: Set<Int> = []) -> ModelDrift {
    ModelDrift(from: Self.held, to: found, retired: retired)
  }

  private func obstacle(_ drift: ModelDrift) -> String? { drift.obstacle(Self.dataset)?.description }

  @Test func `unchanged models in any order are no obstacle`() {
    let same = drift(to: Self.held.reversed())
    #expect(same.changed.isEmpty && same.added.isEmpty)
    #expect(obstacle(same) == nil && same.remark == nil)
  }

  @Test func `a missing or changed model holds the dataset and the message has a remedy`() throws {
    let gone = drift(to: [Self.held[1]])
    #expect(gone.changed == ["1.0"])
    let text = try #require(obstacle(gone))
    #expect(
      text.hasPrefix("the files of model 1.0 are changed or gone") && text.contains("'seedbank model retire'")
    )
    #expect(text.hasSuffix("nothing new is published of transit"))
    let other = model("2.0", Self.held[1].schemaSQL, projections: ["halt": "SELECT 1 AS id"])
    let changed = drift(to: [Self.held[0], other])
    #expect(changed.changed == ["2.0"] && obstacle(changed)?.contains("restart it") == true)
  }

  @Test func `changes to models of a retired major are ignored`() {
    let rest = drift(to: [Self.held[1]], retired: [1])
    #expect(rest.changed.isEmpty && obstacle(rest) == nil)
    let edited = drift(
      to: [model("1.0", "CREATE TABLE x(id INTEGER PRIMARY KEY)"), Self.held[1]], retired: [1])
    #expect(edited.changed.isEmpty && obstacle(edited) == nil)
  }

  @Test func `a new model is reported and does not hold the dataset`() throws {
    let more = drift(to: Self.held + [model("2.1", ""), model("3.0", "")])
    #expect(more.added == ["2.1", "3.0"] && obstacle(more) == nil)
    #expect(
      more.remark
        == "model 2.1, 3.0 have come since 'seedbank run' was started: restart it to publish them")
  }
}
