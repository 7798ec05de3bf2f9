package import SeedFormat
package import SeedSystem

package struct SeriesMetadata: Hashable, Sendable {
  package let series: SeedSeries
  package var state: SeriesState
  /// Snapshots and deltas, sorted by path.
  package let objects: [PublishedObject]

  package init(series: SeedSeries, state: SeriesState, objects: [PublishedObject]) {
    self.series = series
    self.state = state
    self.objects = objects.sorted { $0.targetPath < $1.targetPath }
  }

  package init(_ series: SeedSeries, in role: Targets) throws(MalformedJSON) {
    let member = role.header.other.first { $0.name == SeriesState.memberName }
    guard let member else { throw .field(path: "signed.\(SeriesState.memberName)", reason: "is missing") }
    var fields = try JSONObjectReader(member.value, at: "signed.\(SeriesState.memberName)")
    let state = try SeriesState(reading: &fields)
    guard state.model.major == series.major else {
      throw fields.error("model", "\(state.model) is not of series \(series)")
    }
    var objects: [PublishedObject] = []
    for (path, file) in role.targets {
      if let object = try PublishedObject(path, file, in: series, state.models) { objects.append(object) }
    }
    self.init(series: series, state: state, objects: objects)
  }

  package func role(version: Int, expires: UTCTime) -> Targets {
    let state = JSONMember(SeriesState.memberName, state.json)
    let targets = Dictionary(
      objects.map { ($0.targetPath, $0.target) }, uniquingKeysWith: { _, last in last })
    return Targets(header: RoleHeader(version: version, expires: expires, other: [state]), targets: targets)
  }
}

extension SeedSeries {
  package init?(roleName: String) {
    guard let hyphen = roleName.lastIndex(of: "-"),
      let major = canonicalDecimal(roleName[roleName.index(after: hyphen)...], in: 1...Limits.modelNumber),
      let dataset = try? DatasetName(String(roleName[..<hyphen])),
      let series = try? SeedSeries(dataset, major: major)
    else { return nil }
    self = series
  }
}

/// The state of a series: the member `seedbank` of its role's signed metadata.
package struct SeriesState: Hashable, Sendable {
  package var epoch: Epoch
  package var head: SeedVersion
  /// The oldest version from which deltas lead to the head; at most the head.
  package var floor: SeedVersion
  /// The model of the newest files.
  package var model: ModelVersion
  /// The schema hashes of all minors whose apps can open the files; includes the model of every object.
  package var models: [ModelVersion: SHA256Digest]
  package var lifecycle: SeedLifecycle
  package var publishedAt: UTCTime
  /// Seconds between a client's polls.
  package var pollSeconds: Int
  package var license: String?
  package var attribution: String?
  package var source: String?
  /// Not nil while publishing is on hold after a rollback by the operator.
  package var hold: SeriesHold?

  package var schema: SHA256Digest? { models[model] }

  static let memberName = "seedbank"

  package init(
    epoch: Epoch, head: SeedVersion, floor: SeedVersion, model: ModelVersion,
    models: [ModelVersion: SHA256Digest],
    lifecycle: SeedLifecycle = .active, publishedAt: UTCTime, pollSeconds: Int,
    license: String? = nil, attribution: String? = nil, source: String? = nil, hold: SeriesHold? = nil
  ) {
    (self.epoch, self.head, self.floor, self.model, self.models) = (epoch, head, floor, model, models)
    (self.lifecycle, self.publishedAt, self.pollSeconds) = (lifecycle, publishedAt, pollSeconds)
    (self.license, self.attribution, self.source, self.hold) = (license, attribution, source, hold)
  }

  /// Ignores unknown fields, which a later publisher may use for later clients.
  init(reading fields: inout JSONObjectReader) throws(MalformedJSON) {
    epoch = try fields.value("epoch", Epoch.init(_:))
    head = try fields.version("head")
    floor = try fields.version("floor")
    guard floor <= head else { throw fields.error("floor", "\(floor) is above the head, \(head)") }
    model = try fields.value("model", ModelVersion.init(_:))
    models = try Self.models(&fields)
    var lifecycle = try fields.object("lifecycle")
    self.lifecycle = try SeedLifecycle(reading: &lifecycle)
    publishedAt = UTCTime(secondsSinceEpoch: try fields.integer("publishedAt", from: 0))
    pollSeconds = try fields.integer("pollSeconds", from: 1)
    license = try fields.stringIfPresent("license")
    attribution = try fields.stringIfPresent("attribution")
    source = try fields.stringIfPresent("source")
    hold = try fields.objectIfPresent("hold", SeriesHold.init(reading:))
  }

  private static func models(
    _ fields: inout JSONObjectReader
  ) throws(MalformedJSON) -> [ModelVersion: SHA256Digest] {
    var object = try fields.object("models")
    var models: [ModelVersion: SHA256Digest] = [:]
    for name in object.unread.map(\.name) {
      let schema = try object.digest(name)
      guard let model = try? ModelVersion(name) else { throw object.error(name, "is not a model version") }
      models[model] = schema
    }
    return models
  }

  var json: JSONValue {
    let byText = Dictionary(uniqueKeysWithValues: models.map { ($0.key.description, $0.value) })
    return .object(
      .init(
        ("epoch", .string(epoch.text)), ("head", JSONValue(head.number)), ("floor", JSONValue(floor.number)),
        ("model", .string(model.description)), ("models", JSONValue(byText) { .string($0.hex) }),
        ("lifecycle", lifecycle.json), ("publishedAt", JSONValue(publishedAt.secondsSinceEpoch)),
        ("pollSeconds", JSONValue(pollSeconds)), ("license", license.map(JSONValue.string)),
        ("attribution", attribution.map(JSONValue.string)), ("source", source.map(JSONValue.string)),
        ("hold", hold?.json)))
  }
}

/// Set by an operator's rollback: until the hold is lifted, nothing from the origin is published.
package struct SeriesHold: Hashable, Sendable {
  /// The version whose rows the head repeats.
  package let version: SeedVersion
  package let since: UTCTime

  package init(version: SeedVersion, since: UTCTime) { (self.version, self.since) = (version, since) }

  init(reading fields: inout JSONObjectReader) throws(MalformedJSON) {
    version = try fields.version("version")
    since = UTCTime(secondsSinceEpoch: try fields.integer("since", from: 0))
  }

  var json: JSONValue { ["version": JSONValue(version.number), "since": JSONValue(since.secondsSinceEpoch)] }
}
