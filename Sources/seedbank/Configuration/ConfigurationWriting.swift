import SeedFormat
import SeedHTTP
import SeedServer

extension DeploymentConfiguration {
  /// seedbank.json, such that reading it gives these values again.
  var fileText: String { json(isComplete: false).prettyText }

  /// The keys with their values, the datasets by name; paths as seen from the file. Only where it is to be complete
  /// are those among them that a file seldom has and that are as usual.
  func json(isComplete: Bool) -> JSONValue {
    let folder = Paths.folder(of: file)
    return object([
      (DeploymentKey.publication, .string(Paths.relative(publication, to: folder))),
      (.state, .string(Paths.relative(state, to: folder))),
      (.keys, .string(Paths.relative(keys, to: folder))),
      (.http, http.json(isComplete: isComplete)),
      (.log, log.json),
      (.datasets, .array(datasets.map { .string($0.name.text) })),
    ])
  }
}

extension HTTPConfiguration {
  fileprivate func json(isComplete: Bool) -> JSONValue {
    let usual = HTTPServerConfiguration()
    return object([
      (HTTPKey.host, .string(host)),
      (.port, number(port)),
      (.threads, (threads ?? (isComplete ? usual.threads : nil)).map(number)),
      (.connectionLimit, number(connectionLimit)),
      (.perAddressLimit, perAddressLimit.map(number) ?? (isComplete ? .null : nil)),
      (
        .trustedProxies,
        trustedProxies.isEmpty && !isComplete ? nil : .array(trustedProxies.map(JSONValue.string))
      ),
      (.idleTimeoutSeconds, number(idleTimeoutSeconds)),
      (.drainSeconds, drainSeconds == 0 && !isComplete ? nil : number(drainSeconds)),
    ])
  }
}

extension LogConfiguration {
  fileprivate var json: JSONValue {
    object([
      (LogKey.format, .string(format.rawValue)), (.level, .string(level.rawValue)),
      (.requests, .string(requests.rawValue)),
    ])
  }
}

extension DatasetConfiguration {
  /// dataset.json, such that reading it gives these values again; the models are files of their own.
  var fileText: String { json(isComplete: false).prettyText }

  /// The keys with their values; paths as seen from the folder. As for the deployment's own.
  func json(isComplete: Bool) -> JSONValue {
    object([
      (DatasetKey.origin, origin.json(from: folder)),
      (.schedule, schedule.json),
      (.retention, retention.json(isComplete: isComplete)),
      (.shrink, shrink.json),
      (.encodings, .array(encodings.map { .string($0.rawValue) })),
      (.indexes, indexes == .snapshot && !isComplete ? nil : .string(indexes.rawValue)),
      (.expirySeconds, number(expirySeconds)),
      (.pollSeconds, number(pollSeconds)),
      (.lifecycle, lifecycle.isEmpty ? nil : lifecycleJSON),
      (.license, license.map(JSONValue.string)),
      (.attribution, attribution.map(JSONValue.string)),
      (.source, source.map(JSONValue.string)),
    ])
  }

  private var lifecycleJSON: JSONValue {
    .object(lifecycle.sorted { $0.key < $1.key }.map { JSONMember(String($0.key), $0.value.json) })
  }
}

extension OriginConfiguration {
  fileprivate func json(from folder: String) -> JSONValue {
    switch self {
    case .sqlite(let path): object([(OriginKey.sqlite, .string(Paths.relative(path, to: folder)))])
    }
  }
}

extension ScheduleConfiguration {
  fileprivate var json: JSONValue {
    object([(ScheduleKey.checkSeconds, number(checkSeconds)), (.snapshotSeconds, number(snapshotSeconds))])
  }
}

extension RetentionConfiguration {
  fileprivate func json(isComplete: Bool) -> JSONValue {
    object([
      (RetentionKey.snapshots, number(snapshots)),
      (.snapshotAgeSeconds, snapshotAgeSeconds.map(number) ?? (isComplete ? .null : nil)),
      (.graceSeconds, number(graceSeconds)),
    ])
  }
}

extension ShrinkConfiguration {
  fileprivate var json: JSONValue {
    object([(ShrinkKey.percent, number(percent)), (.minimumRows, number(minimumRows))])
  }
}

extension SeriesLifecycle {
  fileprivate var json: JSONValue {
    object([
      (LifecycleKey.state, .string(state.rawValue)),
      (.sunset, sunset.map(JSONValue.string)),
      (.message, message.map(JSONValue.string)),
    ])
  }
}

/// An object of the keys that have a value.
private func object<Key: ConfigurationKey>(_ members: [(Key, JSONValue?)]) -> JSONValue {
  .object(members.compactMap { key, value in value.map { JSONMember(key.rawValue, $0) } })
}

private func number(_ value: Int) -> JSONValue { .integer(Int64(value)) }
