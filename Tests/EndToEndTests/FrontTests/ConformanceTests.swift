import Foundation
import SeedClient
import SeedFront
import SeedPublication
import SeedSystem
import Support
import Testing

/// An external tool and a client check the front's answers. `Scripts/conformance` runs more tools.
@Suite struct ConformanceTests {
  @Test
  func
    `the OpenAPI document is valid, and a new client reaches the head from an older snapshot if the newest one is lost`()
    async throws
  {
    let served = try ServedDeployment(seed: 71)
    let document = try RawClient(port: served.front.port).get("/openapi.json").body
    let script =
      "import json, sys, openapi_spec_validator as v; v.validate(json.load(sys.stdin)); print('valid')"
    #expect(
      try Tool.run([Tool.python, "-c", script], input: String(decoding: document, as: UTF8.self))
        == "valid\n")
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
