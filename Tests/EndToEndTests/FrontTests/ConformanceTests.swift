import Foundation
import SeedFront
import Support
import Testing

/// External tools check the front's documents; `Scripts/conformance` runs more of them.
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
}
