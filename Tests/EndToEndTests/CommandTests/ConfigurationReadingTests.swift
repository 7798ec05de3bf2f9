import Foundation
import SeedFormat
import Support
import Testing

@Suite struct ConfigurationReadingTests {
  /// The article's table has all defaults.
  @Test func `minimal files mean the documented defaults`() throws {
    let values = try DeploymentFolder().values()
    let defaults: [String: JSONValue] = [
      "publication": "publication", "keys": "keys", "http.host": "127.0.0.1", "http.port": 8080,
      "http.threads": JSONValue(ProcessInfo.processInfo.activeProcessorCount),
      "datasets.transit.origin.sqlite": "origin.sqlite", "datasets.transit.schedule.snapshotSeconds": 3600,
      "datasets.transit.retention.snapshotAgeSeconds": .null, "datasets.transit.encodings": ["gzip"],
      "datasets.transit.expirySeconds": 604_800, "datasets.transit.license": .null,
    ]
    for (path, value) in defaults { #expect(values[path] == value, "\(path)") }
  }

  @Test func `every key is read`() throws {
    let values = try DeploymentFolder(deployment: Self.fullDeployment, dataset: Self.fullDataset).values()
    for (prefix, text) in [("", Self.fullDeployment), ("datasets.transit.", Self.fullDataset)] {
      for (path, value) in Self.leaves(of: try JSONValue(parsing: Array(text.utf8)), at: prefix) {
        #expect(values[path] == value, "\(path)")
      }
    }
  }

  private static func leaves(of value: JSONValue, at path: String) -> [(String, JSONValue)] {
    guard let members = value.members else { return [(String(path.dropLast()), value)] }
    return members.flatMap { leaves(of: $0.value, at: "\(path)\($0.name).") }
  }

  @Test func `comments are allowed in any object`() throws {
    let folder = try DeploymentFolder(
      deployment: #"{"$comment": 1, "http": {"$comment": ["x"]}, "datasets": ["transit"]}"#,
      dataset: #"""
        {"$comment": {}, "origin": {"$comment": "", "sqlite": "o"}, "schedule": {"$comment": ""},
         "lifecycle": {"$comment": "", "1": {"$comment": "", "state": "active"}}}
        """#)
    #expect(try folder.values()["datasets.transit.lifecycle.1.state"] == "active")
  }

  @Test func `the default expiry grows with the longest schedule`() throws {
    let folder = try DeploymentFolder(
      dataset: #"{"origin": {"sqlite": "o"}, "schedule": {"snapshotSeconds": 2592000}}"#)
    #expect(try folder.values()["datasets.transit.expirySeconds"] == 7_776_000)
  }

  @Test func `datasets keep the order of the file`() throws {
    let folder = try DeploymentFolder(deployment: #"{"datasets": ["transit", "air-2"]}"#)
    try folder.write(#"{"origin": {"sqlite": "../origin.sqlite"}}"#, to: "air-2/dataset.json")
    try folder.write("", to: "air-2/models/1.0/schema.sql")
    let values = try folder.values(environment: ["SEEDBANK_DATASETS_AIR_2_POLL_SECONDS": "9"])
    #expect(values["datasets"] == ["transit", "air-2"])
    #expect(values["datasets.air-2.pollSeconds"] == 9 && values["datasets.transit.pollSeconds"] == 60)
  }

  private static let fullDeployment = """
    {"publication": "/srv/pub", "state": "/srv/state", "keys": "secret/keys", "datasets": ["transit"],
     "http": {"host": "::1", "port": 0, "threads": 4, "connectionLimit": 10, "perAddressLimit": 3,
              "trustedProxies": ["127.0.0.1", "10.0.0.0/8"], "idleTimeoutSeconds": 5, "drainSeconds": 7},
     "log": {"format": "json", "level": "debug", "requests": "errors"}}
    """

  private static let fullDataset = """
    {"origin": {"sqlite": "/data/transit.sqlite"},
     "schedule": {"checkSeconds": 1, "snapshotSeconds": 60, "changeSeconds": 86400},
     "retention": {"snapshots": 1, "snapshotAgeSeconds": 3600, "graceSeconds": 60},
     "shrink": {"percent": 20, "minimumRows": 7},
     "encodings": ["xz", "gzip"], "indexes": "client", "expirySeconds": 200, "pollSeconds": 5,
     "lifecycle": {"1": {"state": "deprecated", "sunset": "2024-02-29", "message": "Update."},
                   "2": {"state": "active"}},
     "license": "CC0", "attribution": "The city", "source": "https://example.org"}
    """

  @Test func `the tables of the article Configuration equal the command's`() throws {
    let tables = try SeedbankBinary.run(["config", "keys"]).output.components(separatedBy: "\n\n")
      .filter { $0.hasPrefix("| key |") }
    #expect(tables.count == 2)
    let article = try String(
      contentsOfFile: "\(Readme.package)/Sources/seedbank/seedbank.docc/Configuration.md", encoding: .utf8)
    for table in tables { #expect(article.contains(table.trimmingCharacters(in: .newlines)), "\(table)") }
  }
}
