import Foundation
import SeedClient
import SeedFront
import SeedPublication
import SeedSystem
import Support
import Testing

/// External tools and a client check the front's answers. `Scripts/conformance` runs more tools.
@Suite struct ConformanceTests {
  private static let promtool = "/usr/bin/promtool"
  private let served: ServedDeployment

  init() throws { served = try ServedDeployment(seed: 71) }

  private func body(_ target: String) throws -> String {
    String(decoding: try RawClient(port: served.front.port).get(target).body, as: UTF8.self)
  }

  @Test func `openapi-spec-validator accepts the OpenAPI document`() throws {
    let script =
      "import json, sys, openapi_spec_validator as v; v.validate(json.load(sys.stdin)); print('valid')"
    #expect(try Tool.run([Tool.python, "-c", script], input: body("/openapi.json")) == "valid\n")
  }

  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: promtool),
      "promtool is not installed: Scripts/deps --conformance"))
  func `promtool accepts the metrics`() throws {
    for target in ["/v1", "/v1/test/changes?model=1.0&since=1", "/nothing"] { _ = try body(target) }
    #expect(try Tool.run([Self.promtool, "check", "metrics"], input: body("/metrics")).isEmpty)
  }

  @Test func `a new client reaches the head from an older snapshot if the newest one is lost`() async throws {
    try served.deployment.origin("INSERT INTO item VALUES (5000, 'new', '')")
    _ = try served.deployment.step(forcingSnapshot: true)
    try served.front.reload()
    let snapshot = try served.newestSnapshot()
    #expect(snapshot.version.number == 2)
    try Folder.remove(served.deployment.publication.file(snapshot))
    let folder = try TemporaryFolder(inMemory: true)
    let store = try SeedStore(
      SeedModel(dataset: "test", version: "1.0"),
      server: try #require(URL(string: "http://127.0.0.1:\(served.front.port)")), root: Data(served.root),
      directory: URL(fileURLWithPath: folder("store")))
    _ = try await store.update()
    #expect(await store.state.version?.number == 2)
  }
}
