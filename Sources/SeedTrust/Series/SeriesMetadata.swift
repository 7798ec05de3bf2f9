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
      if let object = try PublishedObject.read(path, file, in: series) { objects.append(object) }
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
  /// Reads a role name such as `transit-2`.
  package init?(roleName: String) {
    guard let hyphen = roleName.lastIndex(of: "-"),
      let major = canonicalDecimal(roleName[roleName.index(after: hyphen)...], in: 1...Limits.modelNumber),
      let dataset = try? DatasetName(String(roleName[..<hyphen])),
      let series = try? SeedSeries(dataset, major: major)
    else { return nil }
    self = series
  }
}
