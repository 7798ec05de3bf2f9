import SeedFormat
import Support
import Testing

@Suite struct ConfigurationPrecedenceTests {
  @Test func `options win over the environment, then the file, then defaults`() throws {
    let folder = try DeploymentFolder()
    #expect(try folder.values()["http.port"] == 8080)
    try folder.write(#"{"http": {"port": 1}, "datasets": ["transit"]}"#, to: "seedbank.json")
    #expect(try folder.values()["http.port"] == 1)
    #expect(try folder.values(environment: ["SEEDBANK_HTTP_PORT": "2"])["http.port"] == 2)
    for options in [["--port=-1"], ["-p=-1"], ["--port", "1", "--port=-1"]] {
      #expect(
        try folder.mistake(["serve"] + options, environment: ["SEEDBANK_HTTP_PORT": "x"])
          == "--port: http.port: expected a whole number from 0 to 65535, found \"-1\".")
    }
  }

  @Test func `environment variables set keys that are missing in the file`() throws {
    let values = try DeploymentFolder().values(environment: [
      "SEEDBANK_HTTP_IDLE_TIMEOUT_SECONDS": "7", "SEEDBANK_HTTP_HOST": "::",
      "SEEDBANK_PUBLICATION": "/p", "SEEDBANK_DATASETS_TRANSIT_SCHEDULE_CHECK_SECONDS": "9",
    ])
    #expect(values["http.idleTimeoutSeconds"] == 7 && values["http.host"] == "::")
    #expect(values["publication"] == "/p" && values["datasets.transit.schedule.checkSeconds"] == 9)
  }

  @Test func `relative paths of the file start at its folder, other paths at the current folder`() throws {
    let folder = try DeploymentFolder(deployment: #"{"publication": "./a/./b", "datasets": ["transit"]}"#)
    let values = try folder.values(environment: ["SEEDBANK_KEYS": "k"], in: "\(folder.path)/transit")
    #expect(values["publication"] == "a/b" && values["keys"] == "transit/k")
  }

  @Test func `empty environment variables and a container platform's are ignored`() throws {
    let environment = [
      "SEEDBANK_HTTP_PORT": "", "SEEDBANK_HTTP_PROT": "", "SEEDBANK_PORT": "tcp://10.0.0.1:80",
      "SEEDBANK_SERVICE_HOST": "10.0.0.1", "SEEDBANK_POSTGRES": "0", "SEEDBANK_PUBLIC": "pages",
      "SEEDBANK_MIRRORS": "", "SEEDBANK_MIRRORS_PORT": "tcp://10.0.0.1:80",
      "SEEDBANK_DATASETS_SERVICE_HOST": "10.0.0.1",
    ]
    #expect(try DeploymentFolder().values(environment: environment)["http.port"] == 8080)
  }

  @Test(arguments: [
    ("SEEDBANK_DATASETS", "datasets"), ("SEEDBANK_MIRRORS", "mirrors"),
    ("SEEDBANK_ON_PUBLISHED", "on.published"),
    ("SEEDBANK_DATASETS_TRANSIT_ENCODINGS", "encodings"),
    ("SEEDBANK_DATASETS_TRANSIT_ORIGIN_COMMAND", "origin.command"),
    ("SEEDBANK_DATASETS_TRANSIT_ORIGIN_TABLES", "origin.tables"),
    ("SEEDBANK_DATASETS_TRANSIT_LIFECYCLE", "lifecycle"),
  ])
  func `an environment variable of a list or an object is an error`(name: String, key: String) throws {
    #expect(
      try DeploymentFolder().mistake(environment: [name: "1"])
        == "\(name): \(key): lists and objects can only be set in files.")
  }

  @Test func `a variable sets the trusted proxies, separated by commas`() throws {
    let name = "SEEDBANK_HTTP_TRUSTED_PROXIES"
    let folder = try DeploymentFolder(
      deployment: #"{"http": {"trustedProxies": ["10.0.0.1"]}, "datasets": ["transit"]}"#)
    #expect(
      try folder.values(environment: [name: "127.0.0.1,10.0.0.0/8"])["http.trustedProxies"]
        == ["127.0.0.1", "10.0.0.0/8"])
    let error = "\(name): http.trustedProxies: expected"
    #expect(
      try folder.mistake(environment: [name: "::1,proxy"])
        == "\(error) an address or a network such as 10.0.0.0/8, found \"proxy\".")
    #expect(
      try folder.mistake(environment: [name: "::1,::1"]) == "\(error) each entry once, found \"::1\" again.")
  }

  @Test func `an environment variable of an object's member is an error`() throws {
    let folder = try DeploymentFolder(
      dataset: #"{"origin": {"sqlite": "o"}, "lifecycle": {"1": {"state": "retired"}}}"#)
    for member in ["1_STATE", "2_STATE", "1_STAET"] {
      let name = "SEEDBANK_DATASETS_TRANSIT_LIFECYCLE_\(member)"
      #expect(
        try folder.mistake(environment: [name: "active"])
          == "\(name): no variable can set it; put it in dataset.json, and unset the variable.")
    }
  }

  @Test(arguments: [
    ("SEEDBANK_HTTP_PROT", ", did you mean SEEDBANK_HTTP_PORT?"),
    ("SEEDBANK_DATASETS_TRANSIT_ORIGIN_PSOTGRE", ", did you mean SEEDBANK_DATASETS_TRANSIT_ORIGIN_POSTGRES?"),
    ("SEEDBANK_SERIES_KEYFILE", ", did you mean SEEDBANK_SERIES_KEY_FILE?"),
    ("SEEDBANK_DATASETS_TRANSIT_CHECK", "; unset it, or correct it: 'seedbank config keys'"),
    ("SEEDBANK_LOG_FILE", "; unset it, or correct it: 'seedbank config keys'"),
  ])
  func `a misspelled environment variable is an error of each command`(name: String, advice: String) throws {
    for command in [["config", "show"], ["status"]] {
      let mistake = try DeploymentFolder().mistake(command, environment: [name: "1"])
      #expect(mistake.hasPrefix("\(name): unknown environment variable\(advice)"), "\(mistake)")
    }
  }

  @Test func `a wrong value is reported with its option or environment variable`() throws {
    let folder = try DeploymentFolder()
    #expect(
      try folder.mistake(environment: ["SEEDBANK_HTTP_PORT": "80a"])
        == "SEEDBANK_HTTP_PORT: http.port: expected a whole number from 0 to 65535, found \"80a\".")
    #expect(
      try folder.mistake(environment: ["SEEDBANK_FACTS": "no"])
        == "SEEDBANK_FACTS: facts: expected true or false, found \"no\".")
    #expect(
      try folder.mistake(environment: ["SEEDBANK_DATASETS_TRANSIT_ORIGIN_FEED": "feed"])
        == "SEEDBANK_DATASETS_TRANSIT_ORIGIN_FEED: origin: expected one of origin.sqlite, origin.postgres, origin.feed and "
        + "origin.command, found origin.sqlite and origin.feed; keep one.")
    #expect(
      try folder.mistake(["serve", "--host="])
        == "--host: http.host: expected a string that is not empty, found an empty one.")
  }
}

@Suite struct ConfigurationFinderTests {
  private func find(
    _ options: [String] = [], _ environment: [String: String] = [:], in directory: String
  ) throws -> String {
    let outcome = try SeedbankBinary.run(
      ["config", "show"] + options, environment: environment, in: directory)
    return String(outcome.output.prefix { $0 != "\n" }) + outcome.errors
  }

  @Test func `--config wins over SEEDBANK_CONFIG, and both over the current folder`() throws {
    let folder = try DeploymentFolder()
    for name in ["flag.json", "env.json"] { try folder.write(#"{"datasets": ["transit"]}"#, to: name) }
    let environment = ["SEEDBANK_CONFIG": "env.json"]
    #expect(try find(["-c", "flag.json"], environment, in: folder.path) == "\(folder.path)/flag.json")
    #expect(try find([], environment, in: folder.path) == "\(folder.path)/env.json")
    #expect(try find([], ["SEEDBANK_CONFIG": ""], in: folder.path) == folder.file)
  }

  @Test func `the current folder is searched before its subfolder seedbank`() throws {
    let (folder, above) = (try DeploymentFolder(), try TemporaryFolder(inMemory: true))
    try Tool.run(["ln", "-s", folder.path, above("seedbank")])
    #expect(try find(in: above.path) == "\(above.path)/seedbank/seedbank.json")
    try Tool.run(["cp", "-r", folder.file, "\(folder.path)/transit", above.path])
    #expect(try find(in: above.path) == above("seedbank.json"))
  }

  @Test func `without a configuration, the error lists the searched places and suggests init`() throws {
    let folder = try TemporaryFolder(inMemory: true)
    #expect(
      try find(in: folder.path)
        == "Error: no configuration: tried --config (not given), SEEDBANK_CONFIG (not set), \(folder.path)/seedbank.json,"
        + " \(folder.path)/seedbank/seedbank.json; make a deployment with 'seedbank init ORIGIN.sqlite'.\n")
    let advice = "make a deployment with 'seedbank init ORIGIN.sqlite --directory \(folder.path)'"
    #expect(
      try find(["-c", "none.json"], in: folder.path)
        == "Error: \(folder.path)/none.json: expected this file, found none; \(advice).\n")
  }
}
