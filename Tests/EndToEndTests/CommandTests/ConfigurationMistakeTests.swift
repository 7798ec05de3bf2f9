import Support
import Testing

@Suite struct DeploymentMistakeTests {
  @Test(arguments: [
    (#"{"http": {"prot": 1}}"#, #": http.prot: unknown key, did you mean "port"?"#),
    (
      #"{"http": {"idletimeoutseconds": 1}}"#,
      #": http.idletimeoutseconds: unknown key, did you mean "idleTimeoutSeconds"?"#
    ),
    (
      #"{"zzzzzzzz": 1}"#,
      ": zzzzzzzz: unknown key, expected one of publication, state, keys, http, log, facts, on, mirrors, datasets."
    ),
    ("[]", ": expected an object, found an array."),
    (#"{"http": 7}"#, ": http: expected an object, found a whole number."),
    (#"{"http": {"port": "80"}}"#, ": http.port: expected a whole number, found a string."),
    (#"{"http": {"port": 80.0}}"#, ": http.port: expected a whole number, found a number with a fraction."),
    (#"{"http": {"port": 65536}}"#, ": http.port: expected a whole number from 0 to 65535, found 65536."),
    (#"{"http": {"host": 1}}"#, ": http.host: expected a string, found a whole number."),
    (
      #"{"http": {"host": "localhost"}}"#,
      #": http.host: expected an IPv4 or IPv6 address such as 127.0.0.1 or ::, found "localhost"."#
    ),
    (#"{"http": {"host": ""}}"#, ": http.host: expected a string that is not empty, found an empty one."),
    (#"{"log": {"format": "xml"}}"#, #": log.format: expected "text" or "json", found "xml"."#),
    (
      #"{"http": {"trustedProxies": ["10.0.0.1/8"]}}"#,
      ": http.trustedProxies[0]: expected an address or a network such as 10.0.0.0/8, found \"10.0.0.1/8\"."
    ),
    (#"{"state": ""}"#, ": state: expected a string that is not empty, found an empty one."),
    (
      #"{"on": {"published": []}}"#,
      ": on.published: expected a program's path or name as the first element, found []; to start no program, remove the key."
    ),
    (
      #"{"on": {"failed": ["", "x"]}}"#,
      #": on.failed: expected a program's path or name as the first element, found ["","x"]; to start no program, remove the key."#
    ),
    (#"{"keys": "a\u0000b"}"#, #": keys: expected a path, found "a\u0000b"."#),
    (#"{}"#, ": datasets: expected the name of at least one dataset's folder, found none."),
    (#"{"datasets": "transit"}"#, ": datasets: expected an array, found a string."),
    (#"{"datasets": [1]}"#, ": datasets[0]: expected a string, found a whole number."),
    (
      #"{"datasets": ["transit", "transit"]}"#,
      #": datasets[1]: expected each entry once, found "transit" again."#
    ),
    (
      #"{"datasets": ["../Transit"]}"#,
      ": datasets[0]: expected a dataset's name (a lower-case letter, then at most 47 of a-z, 0-9 and -),"
        + #" found "../Transit"."#
    ),
    ("{\"http\": {\n  \"port\" 1}}", ":2:10: expected a colon."), ("{\"é\": x}", ":1:7: expected a value."),
    (#"{"http": {}, "http": {}}"#, #":1:14: duplicate member name "http"."#),
    ("", ":1:1: the document ends too early."),
  ])
  func `a mistake in seedbank.json is reported with file, key, found and expected`(text: String, rest: String)
    throws
  {
    let folder = try DeploymentFolder(deployment: text)
    #expect(try folder.mistake() == folder.file + rest)
  }

  @Test func `a seedbank.json that is missing, binary, overlong or a folder is reported`() throws {
    let folder = try DeploymentFolder()
    try folder.write([0xFF, 0xFE], to: "seedbank.json")
    #expect(try folder.mistake() == "\(folder.file):1:1: expected a value.")
    try folder.remove("seedbank.json")
    #expect(try folder.mistake().hasPrefix("\(folder.file): expected this file, found none; "))
    try folder.write("", to: "seedbank.json/file")
    #expect(try folder.mistake() == "\(folder.file): expected a regular file, found something else.")
    try folder.remove("seedbank.json")
    try folder.write([UInt8](repeating: 0x20, count: 4 * 1024 * 1024 + 1), to: "seedbank.json")
    #expect(try folder.mistake() == "\(folder.file): expected at most 4194304 bytes, found more.")
  }

  @Test(arguments: ["publication/", "publication/metadata", "keys/mirror", "."])
  func `a mirror is outside of the deployment's folders, and they are outside of it`(mirror: String) throws {
    let folder = try DeploymentFolder(
      deployment: #"{"datasets": ["transit"], "mirrors": [{"folder": "\#(mirror)"}]}"#)
    #expect(try folder.mistake().contains("mirrors[0]: expected a separate folder, found "))
  }

  @Test func `control characters of a configuration are escaped in the error`() throws {
    let folder = try DeploymentFolder(deployment: #"{"\u001b[2J": 1}"#)
    #expect(try folder.mistake().contains(#": \u{1B}[2J: unknown key"#))
  }
}

@Suite struct DatasetMistakeTests {
  @Test(arguments: [
    (
      #"{}"#,
      "origin: expected one of origin.sqlite, origin.postgres, origin.feed and origin.command, found none."
    ),
    (#"{"origin": "my.sqlite"}"#, "origin: expected an object, found a string."),
    (#"{"origin": {"postgresql": "x"}}"#, #"origin.postgresql: unknown key, did you mean "postgres"?"#),
    (
      #"{"origin": {"sqlite": "a", "folder": "b"}}"#,
      "origin.folder: unknown key, expected one of sqlite, postgres, schema, feed, command, timeoutSeconds, everySeconds, complete, settleSeconds, empty, tables, maximumBytes, changes, auditSeconds, statementTimeoutSeconds, lockTimeoutSeconds, rowSecurity."
    ),
    (
      #"{"origin": {"feed": "rows", "changes": "log"}}"#,
      #"origin.changes: expected "compare", found "log": only a SQLite file or a PostgreSQL database can have a log."#
    ),
    (#"{"orgin": {}}"#, #"orgin: unknown key, did you mean "origin"?"#),
    (Self.with(#""schedule": {"check": 1}"#), #"schedule.check: unknown key, did you mean "checkSeconds"?"#),
    (
      Self.with(#""schedule": {"checkSeconds": 0}"#),
      "schedule.checkSeconds: expected a whole number from 1 to 86400, found 0."
    ),
    (
      Self.with(#""expirySeconds": 10799"#),
      "expirySeconds: expected at least 10800, three times the longest schedule, found 10799."
    ),
    (
      Self.with(#""schedule": {"snapshotSeconds": 604800}, "expirySeconds": 604800"#),
      "expirySeconds: expected at least 1814400, three times the longest schedule, found 604800."
    ),
    (Self.with(#""encodings": ["gzip", "br"]"#), #"encodings[1]: expected "gzip" or "xz", found "br"."#),
    (
      Self.with(#""encodings": ["gzip", "gzip"]"#),
      #"encodings[1]: expected each entry once, found "gzip" again."#
    ),
    (
      Self.with(#""encodings": ["xz"]"#),
      #"encodings: expected "gzip" in this list, because every client can read it."#
    ),
    (
      Self.with(#""lifecycle": {"1.0": {"state": "active"}}"#),
      #"lifecycle.1.0: expected a model's major as the key, such as "2", found "1.0"."#
    ),
    (
      Self.with(#""lifecycle": {"1": {}}"#),
      #"lifecycle.1.state: expected "active", "deprecated" or "retired", found nothing."#
    ),
    (
      Self.with(#""lifecycle": {"1": {"state": "dead"}}"#),
      #"lifecycle.1.state: expected "active", "deprecated" or "retired", found "dead"."#
    ),
    (
      Self.with(#""lifecycle": {"1": {"state": "retired", "sunset": "2025-02-29"}}"#),
      #"lifecycle.1.sunset: expected a day as YYYY-MM-DD, found "2025-02-29"."#
    ),
  ])
  func `a mistake in dataset.json is reported with file, key, found and expected`(text: String, rest: String)
    throws
  {
    let folder = try DeploymentFolder(dataset: text)
    #expect(try folder.mistake() == "\(folder.datasetFile): \(rest)")
  }

  @Test(arguments: [("u@h/d?", false), ("u@h/d?sslmode=require&", false), ("u:@h/d", true)])
  func `only a PostgreSQL URL with a password is rejected for one`(rest: String, hasPassword: Bool) throws {
    let folder = try DeploymentFolder(dataset: #"{"origin": {"postgres": "postgres://\#(rest)"}}"#)
    if hasPassword {
      #expect(try folder.mistake().contains("the URL must not contain a password"))
    } else {
      _ = try folder.values()
    }
  }

  private static func with(_ member: String) -> String { #"{"origin": {"sqlite": "o"}, \#(member)}"# }
}

@Suite struct ModelFolderTests {
  @Test func `models are sorted by version, and hidden names are ignored`() throws {
    let folder = try DeploymentFolder()
    for version in ["10.0", "2.11", "2.2"] {
      try folder.write("CREATE TABLE a(x INTEGER PRIMARY KEY);", to: "transit/models/\(version)/schema.sql")
    }
    try folder.write("", to: "transit/models/2.2/.keep")
    try folder.write("", to: "transit/models/.DS_Store")
    let outcome = try SeedbankBinary.run(["config", "swift", "--model", "9.9"], in: folder.path)
    let sentence = #"Expected "1.0", "2.2", "2.11" or "10.0" for '--model', found '9.9'."#
    #expect(outcome.status == 64 && outcome.errors.contains(sentence), "\(outcome.errors)")
  }

  @Test func `a dataset without models or without a folder is reported with the expected place`() throws {
    let folder = try DeploymentFolder()
    try folder.remove("transit/models/1.0")
    let expected = "\(folder.models): expected a folder for each model, such as 1.0/schema.sql, found none."
    #expect(try folder.mistake() == expected)
    try folder.remove("transit/models")
    #expect(try folder.mistake() == "\(folder.models): expected a folder that can be listed, found none.")
    try folder.remove("transit")
    #expect(try folder.mistake() == "\(folder.datasetFile): expected this file, found none.")
  }

  @Test(arguments: [
    (
      "v1.0/schema.sql",
      #"/v1.0: expected a folder named major.minor, such as 2.1, from 1.0 to 999.999 without leading zeros, found "v1.0"."#
    ),
    ("2.0/stop.sql", "/2.0: expected schema.sql in this folder, found none."),
    ("2.0/Schema.sql", "/2.0: expected schema.sql in this folder, found none."),
    ("1.0/stop.sql~", "/1.0/stop.sql~: expected only schema.sql and <table>.sql in a model's folder."),
    ("1.0/old/a.sql", "/1.0/old: expected only schema.sql and <table>.sql in a model's folder."),
    ("1.0/a.sql/b.sql", "/1.0/a.sql: expected a regular file, found something else."),
    ("2.1", "/2.1: expected a folder that can be listed, found none."),
  ])
  func `an unexpected name among the models is reported`(name: String, rest: String) throws {
    let folder = try DeploymentFolder()
    try folder.write("SELECT 1", to: "transit/models/\(name)")
    #expect(try folder.mistake() == folder.models + rest)
  }

  @Test func `SQL that is not UTF-8 is reported`() throws {
    let folder = try DeploymentFolder()
    try folder.write([0x53, 0xFF], to: "transit/models/1.0/stop.sql")
    let expected = "\(folder.models)/1.0/stop.sql: expected text in UTF-8, found bytes that are not."
    #expect(try folder.mistake() == expected)
  }
}
