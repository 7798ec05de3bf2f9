import SeedHTTP
import Support
import Testing

@testable import seedbank

@Suite struct ConfigurationPrecedenceTests {
  private let flag = SettingOverride(path: "http.port", source: "--port", text: "3")

  @Test func `flags win over the environment, then the file, then defaults`() throws {
    let folder = try DeploymentFolder()
    #expect(try folder.read().http.port == 8080)
    try folder.write(#"{"http": {"port": 1}, "datasets": ["transit"]}"#, to: "seedbank.json")
    #expect(try folder.read().http.port == 1)
    let environment = ["SEEDBANK_HTTP_PORT": "2"]
    #expect(try folder.read(environment: environment).http.port == 2)
    #expect(try folder.read(options: [flag], environment: environment).http.port == 3)
  }

  @Test func `environment variables set keys that are missing in the file`() throws {
    let folder = try DeploymentFolder()
    let configuration = try folder.read(environment: [
      "SEEDBANK_HTTP_IDLE_TIMEOUT_SECONDS": "7", "SEEDBANK_HTTP_HOST": "::", "SEEDBANK_HTTP_THREADS": "2",
      "SEEDBANK_PUBLICATION": "/p", "SEEDBANK_DATASETS_TRANSIT_SCHEDULE_CHECK_SECONDS": "9",
    ])
    #expect(configuration.http.timeouts.idleSeconds == 7)
    #expect(configuration.http.host == "::")
    #expect(configuration.http.threads == 2)
    #expect(configuration.publication == "/p")
    #expect(configuration.datasets.first?.checkSeconds == 9)
  }

  @Test func `relative paths of the file start at its folder, other paths at the current folder`() throws {
    let folder = try DeploymentFolder(deployment: #"{"publication": "./a/./b", "datasets": ["transit"]}"#)
    #expect(try folder.read().publication == "\(folder.path)/a/b")
    let state = SettingOverride(path: "state", source: "--state", text: "s")
    let configuration = try folder.read(
      options: [state], environment: ["SEEDBANK_KEYS": "../k"], currentDirectory: "/here")
    #expect(configuration.state == "/here/s")
    #expect(configuration.keys == "/here/../k")
  }

  @Test func `empty and unknown environment variables are ignored`() throws {
    let folder = try DeploymentFolder()
    let environment = ["SEEDBANK_HTTP_PORT": "", "SEEDBANK_PORT": "tcp://10.0.0.1:80"]
    #expect(try folder.read(environment: environment).http.port == 8080)
  }

  @Test func `a wrong value is reported with its option or environment variable`() throws {
    let folder = try DeploymentFolder()
    let byVariable = try #require(throws: ConfigurationError.self) {
      try folder.read(environment: ["SEEDBANK_HTTP_PORT": "80a"])
    }
    #expect(
      byVariable.message
        == "SEEDBANK_HTTP_PORT: http.port: expected a whole number from 0 to 65535, found \"80a\".")
    let wrong = SettingOverride(path: "http.port", source: "--port", text: "-1")
    let byFlag = try #require(throws: ConfigurationError.self) { try folder.read(options: [wrong]) }
    #expect(byFlag.message == "--port: http.port: expected a whole number from 0 to 65535, found \"-1\".")
    let empty = SettingOverride(path: "http.host", source: "--host", text: "")
    let byEmptyFlag = try #require(throws: ConfigurationError.self) { try folder.read(options: [empty]) }
    #expect(
      byEmptyFlag.message == "--host: http.host: expected a string that is not empty, found an empty one.")
  }

  @Test(arguments: [
    ("http.port", "SEEDBANK_HTTP_PORT"),
    ("http.idleTimeoutSeconds", "SEEDBANK_HTTP_IDLE_TIMEOUT_SECONDS"),
    ("publication", "SEEDBANK_PUBLICATION"),
    ("datasets.air-2.origin.sqlite", "SEEDBANK_DATASETS_AIR_2_ORIGIN_SQLITE"),
  ])
  func `each key has one environment variable`(path: String, name: String) {
    #expect(ConfigurationOverrides.variable(for: path) == name)
  }
}

@Suite struct ConfigurationFinderTests {
  private func find(
    _ flag: String? = nil, _ environment: [String: String] = [:], in directory: String
  ) throws -> String {
    let console = RecordedConsole().console
    return try Context(environment: environment, currentDirectory: directory, console: console)
      .configurationFile(named: flag)
  }

  @Test func `--config wins over SEEDBANK_CONFIG, and both over the current folder`() throws {
    let folder = try DeploymentFolder()
    let environment = ["SEEDBANK_CONFIG": "env.json"]
    #expect(try find("flag.json", environment, in: folder.path) == "\(folder.path)/flag.json")
    #expect(try find(nil, environment, in: folder.path) == "\(folder.path)/env.json")
    #expect(try find(nil, ["SEEDBANK_CONFIG": ""], in: folder.path) == folder.file)
  }

  @Test func `the current folder is searched before its subfolder seedbank`() throws {
    let folder = try DeploymentFolder()
    try folder.write("{}", to: "seedbank/seedbank.json")
    #expect(try find(in: folder.path) == folder.file)
    try folder.remove("seedbank.json")
    #expect(try find(in: folder.path) == "\(folder.path)/seedbank/seedbank.json")
  }

  @Test func `without a configuration, the error lists the searched places and suggests init`() throws {
    let error = try #require(throws: ConfigurationError.self) { try find(in: "/nowhere") }
    #expect(
      error.message
        == "no configuration: tried --config (not given), SEEDBANK_CONFIG (not set), /nowhere/seedbank.json,"
        + " /nowhere/seedbank/seedbank.json; make one with 'seedbank init ORIGIN.sqlite'.")
    #expect(FailureReport(error).exitCode == .configuration)
  }

  @Test func `a command finds and reads its deployment`() throws {
    let folder = try DeploymentFolder()
    let serve = Command(
      name: "serve", abstract: "Serve.",
      options: [.config, .value("port", "number", setting: "http.port", help: "Where.")]
    ) { _, _ in }
    let context = Context(
      environment: [:], currentDirectory: folder.path, console: RecordedConsole().console)
    let here = try context.configuration(ArgumentParser.parse(["--port", "9"], for: serve))
    #expect(here.http.port == 9)
    let named = try ArgumentParser.parse(["--config", "none.json"], for: serve)
    let error = try #require(throws: ConfigurationError.self) { try context.configuration(named) }
    let advice = "make a deployment with 'seedbank init ORIGIN.sqlite --directory \(folder.path)'"
    #expect(error.message == "\(folder.path)/none.json: expected this file, found none; \(advice).")
  }
}
