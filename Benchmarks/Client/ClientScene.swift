import Foundation

/// A front that serves one snapshot, the same rows as JSON, and empty devices.
final class ClientScene {
  private let folder: String
  private let front: String
  private let program: Program
  private let object: String
  /// Bytes of the published snapshot.
  let snapshotBytes: Int

  static let dataset = "bench"

  init(_ origin: TransitOrigin, in folder: String) throws {
    self.folder = folder
    let deployment = "\(folder)/deployment"
    try Tool.createDeployment(deployment, of: origin.path)
    let config = ["--config", "\(deployment)/seedbank.json"]
    try Tool.run(Tool.seedbank, ["regenerate"] + config)
    (program, front) = try ServingScene.startFront(config)
    let place = try Tool.output(
      of: "curl",
      [
        "-sf", "-o", "/dev/null", "-w", "%header{location}",
        "\(front)/v1/\(Self.dataset)/snapshot?model=1.0",
      ])
    object = place.hasPrefix("/") ? front + place : place
    let length = try Tool.output(
      of: "curl", ["-sfI", "-o", "/dev/null", "-w", "%header{content-length}", object])
    snapshotBytes = Int(length) ?? 0
  }

  func pull() throws -> ToolRun {
    try Tool.run(
      Tool.seedbank,
      [
        "pull", front, "--dataset", Self.dataset, "--model", "1.0", "--store", store, "--root",
        "\(folder)/deployment/root.json",
      ])
  }

  /// Runs an app's first start.
  func firstStart(provingRows: Bool) throws -> ToolRun {
    let root = "\(folder)/deployment/root.json"
    return try LibraryStart(front: front, root: root, store: "\(folder)/app", provesRows: provingRows)
      .measure()
  }

  /// Runs a careful script for the same file: download, hash, expand, hash.
  func baseline() throws -> ToolRun {
    let file = "\(folder)/baseline.sqlite"
    defer { for suffix in ["", ".gz"] { try? FileManager.default.removeItem(atPath: file + suffix) } }
    return try Tool.run(
      "sh",
      [
        "-ec",
        "curl -sf -o \(file).gz \(object); sha256sum \(file).gz; gzip -dc \(file).gz > \(file); sha256sum \(file)",
      ])
  }

  /// Requests and body bytes that the front has served, except for metrics.
  func served() throws -> (requests: Int, bytes: Int) {
    let page = try Tool.output(of: "curl", ["-sf", "\(front)/metrics"])
    return (sum("seedbank_requests_total{", page), sum("seedbank_response_bytes_total{", page))
  }

  private var store: String { "\(folder)/store" }

  private func sum(_ name: String, _ page: String) -> Int {
    page.split(separator: "\n").filter { $0.hasPrefix(name) && !$0.contains("kind=\"metrics\"") }
      .compactMap { $0.split(separator: " ").last.flatMap { Double($0) } }.reduce(0) { $0 + Int($1) }
  }
}
