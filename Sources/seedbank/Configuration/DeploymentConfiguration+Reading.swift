import SeedFormat
import SeedHTTP

enum DeploymentKey: String, ConfigurationKey {
  case publication, state, keys, http, log, datasets
}

enum HTTPKey: String, ConfigurationKey {
  case host, port, threads, connectionLimit, perAddressLimit, trustedProxies, idleTimeoutSeconds, drainSeconds
}

enum LogKey: String, ConfigurationKey {
  case format, level, requests
}

extension DeploymentConfiguration {
  /// Reads seedbank.json and all that it names. The file's path is absolute.
  init(readingFile file: String, overrides: ConfigurationOverrides) throws(ConfigurationError) {
    let place = ConfigurationPlace(file: file, overrides: overrides)
    let top = try ConfigurationObject<DeploymentKey>(ConfigurationDocument.value(inFile: file), at: place)
    self.init(file: file, datasets: [])
    publication = try top.path(.publication, default: Usual.publication)
    state = try top.path(.state, default: Usual.state)
    keys = try top.path(.keys, default: Usual.keys)
    http = try HTTPConfiguration(top.object(.http))
    log = try LogConfiguration(top.object(.log))
    datasets = try Self.datasets(top, overrides)
  }

  private static func datasets(
    _ top: ConfigurationObject<DeploymentKey>, _ overrides: ConfigurationOverrides
  ) throws(ConfigurationError) -> [DatasetConfiguration] {
    var datasets: [DatasetConfiguration] = []
    for name in try names(top) {
      let folder = Paths.absolute(name.text, from: Paths.folder(of: top.place.file))
      datasets.append(try DatasetConfiguration(name, readingFolder: folder, overrides: overrides))
    }
    return datasets
  }

  private static func names(
    _ top: ConfigurationObject<DeploymentKey>
  ) throws(ConfigurationError) -> [DatasetName] {
    let entries = try top.texts(.datasets) ?? []
    guard !entries.isEmpty else {
      throw top.place(of: .datasets).error("expected the name of at least one dataset's folder, found none")
    }
    var names: [DatasetName] = []
    for entry in entries {
      let name = try datasetName(entry.text, at: entry.place)
      guard !names.contains(name) else {
        throw entry.place.error("expected each name once, found \"\(name)\" again")
      }
      names.append(name)
    }
    return names
  }

  private static func datasetName(
    _ text: String, at place: ConfigurationPlace
  ) throws(ConfigurationError) -> DatasetName {
    do {
      return try DatasetName(text)
    } catch {
      throw place.error("expected a dataset's name (\(error.expected)), found \"\(text.clipped)\"")
    }
  }
}

extension HTTPConfiguration {
  fileprivate init(_ object: ConfigurationObject<HTTPKey>) throws(ConfigurationError) {
    host = try Self.host(object) ?? host
    port = try object.integer(.port, in: Self.ports, default: port)
    threads = try object.integer(.threads, in: Self.threadCounts)
    connectionLimit = try object.integer(
      .connectionLimit, in: Self.connectionLimits, default: connectionLimit)
    perAddressLimit = try object.integer(.perAddressLimit, in: Self.connectionLimits)
    trustedProxies = try Self.networks(object)
    idleTimeoutSeconds = try object.integer(
      .idleTimeoutSeconds, in: Self.idleTimeouts, default: idleTimeoutSeconds)
    drainSeconds = try object.integer(.drainSeconds, in: Self.drains, default: drainSeconds)
  }

  /// A name would have to be looked up, and could mean more than one place to listen.
  private static func host(_ object: ConfigurationObject<HTTPKey>) throws(ConfigurationError) -> String? {
    guard let text = try object.text(.host) else { return nil }
    guard IPAddress(text) != nil else {
      throw object.place(of: .host).error(
        "expected an IPv4 or IPv6 address such as 127.0.0.1 or ::, found \"\(text.clipped)\"")
    }
    return text
  }

  private static func networks(
    _ object: ConfigurationObject<HTTPKey>
  ) throws(ConfigurationError) -> [String] {
    var networks: [String] = []
    for entry in try object.texts(.trustedProxies) ?? [] {
      guard IPNetwork(entry.text) != nil else {
        throw entry.place.error(
          "expected an address or a network such as 10.0.0.0/8, found \"\(entry.text.clipped)\"")
      }
      networks.append(entry.text)
    }
    return networks
  }
}

extension LogConfiguration {
  fileprivate init(_ object: ConfigurationObject<LogKey>) throws(ConfigurationError) {
    format = try object.choice(.format) ?? format
    level = try object.choice(.level) ?? level
    requests = try object.choice(.requests) ?? requests
  }
}
