import SeedFormat
import SeedHTTP
import SeedPublication
import SeedPublisher
import SeedSystem

/// The validated settings of seedbank.json and its dataset folders, with defaults.
struct DeploymentConfiguration: SettingsFile {
  /// The path of seedbank.json. All paths in this type are absolute.
  let file: String
  var publication: String
  var state: String
  var keys: String
  var http = HTTPServerConfiguration(host: "127.0.0.1", port: 8080)
  /// Like ``graceSeconds``, not a part of ``http``: the command passes both to `Front.stop` when it ends.
  var drainSeconds = 0
  var hasFacts = true
  var graceSeconds = 30
  var log = LogConfiguration()
  var notices: [NoticeKind: [String]] = [:]
  var mirrors: [MirrorSettings] = []
  var datasets: [DatasetConfiguration]

  var stopSeconds: Int { drainSeconds + graceSeconds }

  /// Shared roles may expire this soon, because each step signs them with the lifetime of its own dataset.
  var shortestLifetime: Int { lifetimes.values.min() ?? PublishingPolicy().lifetimeSeconds }

  var series: Set<SeedSeries> { Set(datasets.flatMap(\.series)) }

  /// The validity of each dataset's signatures in seconds.
  var lifetimes: [DatasetName: Int] {
    Dictionary(datasets.map { ($0.name, $0.policy.lifetimeSeconds) }) { first, _ in first }
  }

  let prefix = ""

  init(file: String, datasets: [DatasetConfiguration]) {
    self.file = file
    let folder = Folder.parent(of: file)
    publication = Paths.absolute(DeploymentNames.publication, from: folder)
    state = Paths.absolute(DeploymentNames.state, from: folder)
    keys = Paths.absolute(DeploymentNames.keys, from: folder)
    self.datasets = datasets
  }

  init(readingFile file: String, overrides: ConfigurationOverrides) throws(Refusal) {
    self.init(file: file, datasets: [])
    try read(overrides)
    for number in datasets.indices { datasets[number].stateFolder = state }
  }

  /// For a follower, which serves a folder without a deployment. Reads only the settings of `http` and `log`; if a
  /// follower needs another group, add it here.
  init(serving publication: String, overrides: ConfigurationOverrides) throws(Refusal) {
    self.init(file: "\(publication)/\(DeploymentNames.file)", datasets: [])
    self.publication = publication
    let document = ConfigurationValue(file: file, key: "", prefix: "", overrides: overrides, written: [:])
    for setting in Self.settings where ["http.", "log."].contains(where: setting.key.hasPrefix) {
      try setting.read(&self, document.value(setting.key))
    }
  }

  static var usual: Self { Self(file: "/\(DeploymentNames.file)", datasets: []) }

  static let settings: [Setting<Self>] =
    [
      .path("publication", \.publication, "folder of the published files; any static host could serve it"),
      .path("state", \.state, "folder of the publisher's own files; it can be rebuilt from the publication"),
      .path(
        "keys", \.keys,
        "folder of the signing keys: `ROLE.key` or `ROLE-NAME.key`. A role's keys may also be elsewhere: "
          + "`SEEDBANK_TIMESTAMP_KEY_FILE` and the other `…_KEY_FILE` variables each take file names, separated by colons"
      ),
      // Accepts no host name, because it would need a DNS lookup and could have several addresses.
      Setting(
        "http.host", \.http.host, type: "IPv4 or IPv6 address",
        "the front's address; `::` means all networks",
        read: { value throws(Refusal) in
          guard let text = try value.text() else { return nil }
          guard IPAddress(text) == nil else { return text }
          throw value.error(
            "expected an IPv4 or IPv6 address such as 127.0.0.1 or ::, found \"\(text.clipped)\"")
        }, json: JSONValue.string),
      .integer("http.port", \.http.port, in: 0...65535, "the front's port; 0 picks a free one"),
      .integer(
        "http.threads", \.http.threads, in: 1...256, usual: "as many as cores", isSeldom: true,
        "threads that answer requests"),
      .integer(
        "http.connectionLimit", \.http.connectionLimit, in: 1...1_000_000,
        "maximum number of open connections"),
      .integer(
        "http.perAddressLimit", \.http.perAddressLimit, in: 1...1_000_000,
        usual: "a quarter of `http.connectionLimit`",
        "maximum number of open connections from one IPv4 address or one IPv6 /64 network"),
      Setting(
        "http.trustedProxies", \.http.trustedProxies, type: "list of addresses and networks", isSeldom: true,
        "proxies between clients and the front, such as `[\"127.0.0.1\", \"10.0.0.0/8\"]`: they may have any number "
          + "of connections, and their `X-Forwarded-For` is trusted. The variable separates them by commas",
        read: { value throws(Refusal) in
          try value.list(orVariable: true) { value throws(Refusal) -> IPNetwork? in
            guard let text = try value.text() else { return nil }
            if let network = IPNetwork(text) { return network }
            throw value.error(
              "expected an address or a network such as 10.0.0.0/8, found \"\(text.clipped)\"")
          }
        }, json: { JSONValue(strings: $0.map(\.text)) }),
      .integer(
        "http.idleTimeoutSeconds", \.http.timeouts.idleSeconds, in: 1...3600,
        "idle seconds before a connection is closed"),
      .integer(
        "http.drainSeconds", \.drainSeconds, in: 0...3600, isSeldom: true,
        "seconds after SIGTERM during which `/readyz` answers 503 and all other requests are still answered, so that "
          + "a load balancer notices the shutdown"),
      .integer(
        "http.graceSeconds", \.graceSeconds, in: 0...3600, isSeldom: true,
        "seconds after `http.drainSeconds` during which responses in progress, such as downloads, may continue "
          + "before they are cut off; new connections are refused"),
      .choice("log.format", \.log.format, "how `run`, `serve` and `regenerate` write messages to stderr"),
      .choice("log.level", \.log.level, "the lowest level that is written"),
      .choice(
        "log.requests", \.log.requests,
        "which requests are logged; `/metrics` counts all of them, except heads that libmicrohttpd rejects before "
          + "they are complete"),
      Setting(
        "facts", \.hasFacts, type: "`true`, `false`", isSeldom: true,
        "whether the publisher writes the folder `facts/` beside the signed files, with its checks, steps and "
          + "tables, for the page and for monitors; `false` removes it at the next step",
        read: { value throws(Refusal) in try value.flag() }, json: JSONValue.bool),
    ] + noticeSettings + mirrorSettings + [
      Setting(
        "datasets", \.datasets, type: "names",
        "names of the datasets' folders, at least one: lower-case letters, digits and hyphens",
        read: readDatasets, json: { JSONValue(strings: $0.map(\.name.text)) })
    ]

  private static let noticeSettings: [Setting<Self>] = NoticeKind.allCases.map { kind in
    Setting(
      key: kind.setting, type: "list of strings", usual: "none", isSeldom: true, meaning: kind.meaning,
      read: { configuration, value throws(Refusal) in configuration.notices[kind] = try value.command() },
      json: { JSONValue(strings: $0.notices[kind] ?? []) })
  }

  @Sendable private static func readDatasets(
    _ value: ConfigurationValue
  ) throws(Refusal) -> [DatasetConfiguration]? {
    let names = try value.list { value throws(Refusal) -> DatasetName? in
      guard let text = try value.text() else { return nil }
      do throws(InvalidName) {
        return try DatasetName(text)
      } catch {
        throw value.error("expected a dataset's name (\(error.expected)), found \"\(text.clipped)\"")
      }
    }
    guard let names, !names.isEmpty else {
      throw value.error("expected the name of at least one dataset's folder, found none")
    }
    return try names.map { name throws(Refusal) in
      let folder = Paths.absolute(name.text, from: Folder.parent(of: value.file))
      return try DatasetConfiguration(name, readingFolder: folder, overrides: value.overrides)
    }
  }
}

extension NoticeKind {
  fileprivate var meaning: String {
    switch self {
    case .published:
      "a program and its arguments, run after each step that publishes something. It receives one JSON object on stdin. "
        + "See the article on operating"
    case .failed:
      "the same for a failed step of `run` or `regenerate`; it does not run again while steps fail in the same way"
    }
  }
}

extension ConfigurationValue {
  /// A program and its arguments. Unlike the elements of other lists, arguments may be empty or equal.
  func command() throws(Refusal) -> [String]? {
    guard let written = try listed() else { return nil }
    guard let words = written.elements?.map(\.string), !words.contains(nil) else {
      throw error(
        "expected an array of strings, such as [\"/usr/local/bin/tell\", \"me\"], found \(written.kind)")
    }
    let command = words.compactMap(\.self)
    guard command.first?.isEmpty == false, !command.contains(where: { $0.utf8.contains(0) }) else {
      throw error(
        "expected a program's path or name as the first element, found \(written.text.clipped); to start no program, remove "
          + "the key")
    }
    return command
  }
}
