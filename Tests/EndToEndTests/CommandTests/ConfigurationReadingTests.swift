import Foundation
import SeedDatabase
import SeedFormat
import SeedFront
import SeedHTTP
import SeedPublication
import SeedPublisher
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import seedbank

@Suite struct ConfigurationReadingTests {
  @Test func `minimal files mean the documented defaults`() throws {
    let folder = try DeploymentFolder()
    let configuration = try folder.read()
    #expect(configuration.file == folder.file)
    #expect(configuration.publication == "\(folder.path)/publication")
    #expect(configuration.state == "\(folder.path)/state")
    #expect(configuration.keys == "\(folder.path)/keys")
    let http = configuration.http
    #expect(
      (http.host, http.port, http.connectionLimit, http.timeouts.idleSeconds) == ("127.0.0.1", 8080, 4000, 30)
    )
    #expect(http.threads == ProcessInfo.processInfo.activeProcessorCount)
    let dataset = try #require(configuration.datasets.first)
    #expect(dataset.name == "transit")
    #expect(dataset.folder == "\(folder.path)/transit")
    #expect(dataset.originPath == "\(folder.path)/transit/origin.sqlite")
    let policy = dataset.policy
    #expect(dataset.checkSeconds == 2 && policy.snapshotSchedule == .every(seconds: 3600))
    #expect((policy.retainedSnapshots, policy.graceSeconds) == (3, 3600))
    #expect(policy.retainedSnapshotSeconds == nil)
    #expect((policy.shrinkGuard.percent, policy.shrinkGuard.minimumRows) == (50, 100))
    #expect(policy.encodings == [.gzip] && policy.indexes == .snapshot)
    #expect((policy.lifetimeSeconds, policy.pollSeconds) == (604_800, 60))
    #expect(policy.lifecycles.isEmpty && policy.provenance == Provenance())
    #expect(dataset.models.map(\.version) == ["1.0"])
  }

  @Test func `every key is read`() throws {
    let folder = try DeploymentFolder(deployment: Self.fullDeployment, dataset: Self.fullDataset)
    let configuration = try folder.read()
    #expect(configuration.publication == "/srv/pub")
    #expect(configuration.state == "\(Folder.parent(of: folder.path))/state")
    #expect(configuration.keys == "\(folder.path)/secret/keys")
    let http = configuration.http
    #expect((http.host, http.port, http.threads) == ("::1", 0, 4))
    #expect((http.connectionLimit, http.perAddressLimit) == (10, 3))
    #expect(http.trustedProxies.map(\.text) == ["127.0.0.1", "10.0.0.0/8"])
    #expect((http.timeouts.idleSeconds, configuration.drainSeconds) == (5, 7))
    #expect(configuration.log == LogConfiguration(format: .json, level: .debug, requests: .errors))
    let dataset = try #require(configuration.datasets.first)
    #expect(dataset.originPath == "/data/transit.sqlite")
    let policy = dataset.policy
    #expect(dataset.checkSeconds == 1 && policy.snapshotSchedule == .every(seconds: 60))
    #expect((policy.retainedSnapshots, policy.retainedSnapshotSeconds, policy.graceSeconds) == (1, 3600, 60))
    #expect((policy.shrinkGuard.percent, policy.shrinkGuard.minimumRows) == (20, 7))
    #expect(policy.encodings == [.xz, .gzip] && policy.indexes == .client)
    #expect((policy.lifetimeSeconds, policy.pollSeconds) == (180, 5))
    #expect(policy.lifecycles[1] == .deprecated(sunset: "2024-02-29", message: "Update."))
    #expect(policy.lifecycles[2] == .active)
    #expect(
      policy.provenance
        == Provenance(license: "CC0", attribution: "The city", source: "https://example.org"))
  }

  @Test func `comments are allowed in any object`() throws {
    let folder = try DeploymentFolder(
      deployment: #"{"$comment": 1, "http": {"$comment": ["x"]}, "datasets": ["transit"]}"#,
      dataset: #"""
        {"$comment": {}, "origin": {"$comment": "", "sqlite": "o"}, "schedule": {"$comment": ""},
         "lifecycle": {"$comment": "", "1": {"$comment": "", "state": "active"}}}
        """#)
    #expect(try folder.read().datasets.first?.policy.lifecycles == [1: .active])
  }

  @Test func `the default expiry grows with a long schedule`() throws {
    let folder = try DeploymentFolder(
      dataset: #"{"origin": {"sqlite": "o"}, "schedule": {"snapshotSeconds": 2592000}}"#)
    #expect(try folder.read().datasets.first?.policy.lifetimeSeconds == 7_776_000)
  }

  @Test func `a calendar is read with its zone, and the default expiry grows with its longest gap`() throws {
    let folder = try DeploymentFolder(
      dataset: #"""
        {"origin": {"sqlite": "o"},
         "schedule": {"snapshots": "Sun 03:30", "timeZone": "Europe/Zurich", "jitterSeconds": 600}}
        """#)
    let dataset = try #require(try folder.read().datasets.first)
    let calendar = SnapshotCalendar(try WeeklyTimes("Sun 03:30"), try ZoneClock("Europe/Zurich"))
    #expect(dataset.policy.snapshotSchedule == SnapshotSchedule(.calendar(calendar), jitterSeconds: 600))
    #expect(dataset.policy.lifetimeSeconds == 3 * (604_800 + 600))
    // The written file has only the keys that were given.
    #expect(dataset.json.prettyText.contains(#""snapshots": "Sun 03:30""#))
    #expect(!dataset.json.prettyText.contains("snapshotSeconds"))
    try folder.write(dataset.json.prettyText, to: "transit/dataset.json")
    #expect(try folder.read().datasets.first?.policy == dataset.policy)
  }

  @Test func `an interval is read with its jitter`() throws {
    let folder = try DeploymentFolder(
      dataset: #"{"origin": {"sqlite": "o"}, "schedule": {"snapshotSeconds": 5400, "jitterSeconds": 300}}"#)
    let policy = try #require(try folder.read().datasets.first?.policy)
    #expect(policy.snapshotSchedule == SnapshotSchedule(.age(seconds: 5400), jitterSeconds: 300))
  }

  @Test func `datasets keep the order of the file`() throws {
    let folder = try DeploymentFolder(deployment: #"{"datasets": ["transit", "air-2"]}"#)
    try folder.write(#"{"origin": {"sqlite": "../origin.sqlite"}}"#, to: "air-2/dataset.json")
    try folder.write("", to: "air-2/models/1.0/schema.sql")
    #expect(try folder.read().datasets.map(\.name) == ["transit", "air-2"])
  }

  static let fullDeployment = """
    {"publication": "/srv/pub", "state": "../state", "keys": "./secret//keys", "datasets": ["transit"],
     "http": {"host": "::1", "port": 0, "threads": 4, "connectionLimit": 10, "perAddressLimit": 3,
              "trustedProxies": ["127.0.0.1", "10.0.0.0/8"], "idleTimeoutSeconds": 5, "drainSeconds": 7},
     "log": {"format": "json", "level": "debug", "requests": "errors"}}
    """

  static let fullDataset = """
    {"origin": {"sqlite": "/data/transit.sqlite"},
     "schedule": {"checkSeconds": 1, "snapshotSeconds": 60},
     "retention": {"snapshots": 1, "snapshotAgeSeconds": 3600, "graceSeconds": 60},
     "shrink": {"percent": 20, "minimumRows": 7},
     "encodings": ["xz", "gzip"], "indexes": "client", "expirySeconds": 180, "pollSeconds": 5,
     "lifecycle": {"1": {"state": "deprecated", "sunset": "2024-02-29", "message": "Update."},
                   "2": {"state": "active"}},
     "license": "CC0", "attribution": "The city", "source": "https://example.org"}
    """
}

@Suite struct ConfigurationWritingTests {
  @Test func `a written configuration reads back with the same values`() throws {
    let folder = try DeploymentFolder(
      deployment: ConfigurationReadingTests.fullDeployment, dataset: ConfigurationReadingTests.fullDataset)
    let configuration = try folder.read()
    try folder.write(configuration.json.prettyText, to: "seedbank.json")
    try folder.write(try #require(configuration.datasets.first).json.prettyText, to: "transit/dataset.json")
    let again = try folder.read()
    #expect(
      again.json.prettyText == configuration.json.prettyText && again.datasets == configuration.datasets)
  }

  @Test func `a new deployment is written with every default`() throws {
    let dataset = DatasetConfiguration(
      name: "transit", folder: "/d/transit", originPath: "/d/my.sqlite")
    let deployment = DeploymentConfiguration(file: "/d/seedbank.json", datasets: [dataset])
    #expect(deployment.json.prettyText == Self.deploymentText)
    #expect(dataset.json.prettyText == Self.datasetText)
  }

  @Test func `empty and nested JSON values are pretty-printed`() {
    let value: JSONValue = ["a": [], "b": [:], "c": [1, "x"], "d": [["e": 1], []], "f\"": false]
    let text = """
      {
        "a": [],
        "b": {},
        "c": [1, "x"],
        "d": [
          {
            "e": 1
          },
          []
        ],
        "f\\"": false
      }

      """
    #expect(value.prettyText == text)
  }

  private static let deploymentText = """
    {
      "publication": "publication",
      "state": "state",
      "keys": "keys",
      "http": {
        "host": "127.0.0.1",
        "port": 8080,
        "connectionLimit": 4000,
        "idleTimeoutSeconds": 30
      },
      "log": {
        "format": "text",
        "level": "info",
        "requests": "none"
      },
      "datasets": ["transit"]
    }

    """

  private static let datasetText = """
    {
      "origin": {
        "sqlite": "/d/my.sqlite"
      },
      "schedule": {
        "checkSeconds": 2,
        "snapshotSeconds": 3600
      },
      "retention": {
        "snapshots": 3,
        "graceSeconds": 3600
      },
      "shrink": {
        "percent": 50,
        "minimumRows": 100
      },
      "encodings": ["gzip"],
      "pollSeconds": 60
    }

    """
}

@Suite struct ConfigurationArticleTests {
  @Test func `the tables of the article Configuration equal the code's`() throws {
    let package = URL(fileURLWithPath: #filePath).appending(path: "../../../..").standardizedFileURL
    let article = package.appending(path: "Sources/seedbank/seedbank.docc/Configuration.md")
    let text = try String(contentsOf: article, encoding: .utf8)
    #expect(text.contains(DeploymentConfiguration.table), "\(DeploymentConfiguration.table)")
    #expect(text.contains(DatasetConfiguration.table), "\(DatasetConfiguration.table)")
  }
}
