package import SeedFormat
package import SeedSystem

package struct PublishedObject: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case snapshot(SeedVersion, ContentEncoding)
    /// The changed rows; `from` is below `to`. Always listed in gzip, so that stored deltas can be spliced; large merged
    /// ones also in xz.
    case delta(from: SeedVersion, to: SeedVersion, ContentEncoding = .gzip)
  }

  package let series: SeedSeries
  package let kind: Kind
  package let length: Int
  package let sha256: SHA256Digest
  package let model: ModelVersion
  package let rawLength: Int
  package let rawSHA256: SHA256Digest
  package let schema: SHA256Digest
  /// The schema before a delta that begins a minor, else nil.
  package let schemaBefore: SHA256Digest?
  /// The state digest at its version.
  package let digest: SHA256Digest
  /// The publication time of a snapshot; nil for deltas.
  package let publishedAt: UTCTime?

  package init(
    series: SeedSeries, kind: Kind, length: Int, sha256: SHA256Digest, model: ModelVersion, rawLength: Int,
    rawSHA256: SHA256Digest, schema: SHA256Digest, schemaBefore: SHA256Digest? = nil, digest: SHA256Digest,
    publishedAt: UTCTime? = nil
  ) {
    (self.series, self.kind, self.length, self.sha256) = (series, kind, length, sha256)
    (self.model, self.rawLength, self.rawSHA256) = (model, rawLength, rawSHA256)
    (self.schema, self.schemaBefore) = (schema, schemaBefore)
    (self.digest, self.publishedAt) = (digest, publishedAt)
  }

  /// `snapshot-102.sqlite.gz` or `delta-100-102.json.gz`.
  package var fileName: String {
    switch kind {
    case .snapshot(let version, let encoding): "snapshot-\(version).sqlite.\(encoding.fileExtension)"
    case .delta(let from, let to, let encoding): "delta-\(from)-\(to).json.\(encoding.fileExtension)"
    }
  }

  /// Its name in TUF: `transit/2/snapshot-102.sqlite.gz`.
  package var targetPath: String { series.targetPrefix + fileName }

  /// Its path in the publication: `targets/transit/2/<sha256>.snapshot-102.sqlite.gz`.
  package var filePath: String { "targets/\(series.targetPrefix)\(sha256.hex).\(fileName)" }

  package func isDescribed(by header: DeltaHeader) -> Bool {
    kind.encoded(as: .gzip) == .delta(from: header.from, to: header.to) && series == header.series
      && model == header.model
      && schema == header.schema && schemaBefore == header.additions?.before && digest == header.digest
  }

  package var encoding: ContentEncoding {
    switch kind {
    case .snapshot(_, let encoding), .delta(_, _, let encoding): encoding
    }
  }

  package var version: SeedVersion {
    switch kind {
    case .snapshot(let version, _): version
    case .delta(_, let to, _): to
    }
  }

  // MARK: - As a TUF target

  /// Returns nil for an unknown kind or encoding, which a newer version of the publisher may have introduced.
  static func read(_ path: String, _ file: TargetFile, in series: SeedSeries) throws(MalformedJSON)
    -> PublishedObject?
  {
    let at = "signed.targets.\(path)"
    guard let custom = file.custom else { throw .field(path: "\(at).custom", reason: "is missing") }
    var fields = try JSONObjectReader(custom, at: "\(at).custom")
    guard let kind = try Kind(reading: &fields) else { return nil }
    let object = try PublishedObject(&fields, file, series, kind, at)
    guard object.targetPath == path else {
      throw .field(path: at, reason: "its custom fields describe \(object.targetPath)")
    }
    return object
  }

  private init(
    _ fields: inout JSONObjectReader, _ file: TargetFile, _ series: SeedSeries, _ kind: Kind, _ path: String
  ) throws(MalformedJSON) {
    guard let sha256 = try? SHA256Digest(hex: file.hashes["sha256"] ?? "") else {
      throw .field(path: "\(path).hashes.sha256", reason: "expected 64 lower-case hexadecimal digits")
    }
    self.series = series
    self.kind = kind
    self.sha256 = sha256
    length = file.length
    model = try fields.value("model", ModelVersion.init(_:))
    rawLength = try fields.integer("rawLength", from: 0)
    guard max(length, rawLength) <= Limits.objectBytes else {
      throw .field(path: path, reason: "expected at most \(Limits.objectBytes) bytes")
    }
    rawSHA256 = try fields.digest("rawSHA256")
    schema = try fields.digest("schema")
    schemaBefore = try fields.digestIfPresent("schemaBefore")
    digest = try fields.digest("digest")
    publishedAt = try fields.integerIfPresent("publishedAt", from: 0).map(UTCTime.init(secondsSinceEpoch:))
    guard model.major == series.major else {
      throw fields.error("model", "\(model) is not of series \(series)")
    }
  }

  var target: TargetFile {
    let members: [JSONMember] =
      kind.members
      + .init(
        ("model", .string(model.description)), ("encoding", .string(encoding.rawValue)),
        ("rawLength", JSONValue(rawLength)), ("rawSHA256", .string(rawSHA256.hex)),
        ("schema", .string(schema.hex)), ("schemaBefore", schemaBefore.map { .string($0.hex) }),
        ("digest", .string(digest.hex)),
        ("publishedAt", publishedAt.map { JSONValue($0.secondsSinceEpoch) }))
    return TargetFile(length: length, sha256: sha256, custom: .object(members))
  }
}

extension PublishedObject.Kind {
  init?(reading fields: inout JSONObjectReader) throws(MalformedJSON) {
    let kind = try fields.string("kind")
    let encoding = ContentEncoding(rawValue: try fields.string("encoding"))
    switch (kind, encoding) {
    case ("snapshot", let encoding?): self = .snapshot(try fields.version("version"), encoding)
    case ("delta", let encoding?):
      let (from, to) = (try fields.version("from"), try fields.version("to"))
      guard from < to else { throw fields.error("from", "\(from) is not below \(to)") }
      self = .delta(from: from, to: to, encoding)
    default: return nil
    }
  }

  package func encoded(as encoding: ContentEncoding) -> Self {
    switch self {
    case .snapshot(let version, _): .snapshot(version, encoding)
    case .delta(let from, let to, _): .delta(from: from, to: to, encoding)
    }
  }

  var members: [JSONMember] {
    switch self {
    case .snapshot(let version, _): .init(("kind", "snapshot"), ("version", JSONValue(version.number)))
    case .delta(let from, let to, _):
      .init(("kind", "delta"), ("from", JSONValue(from.number)), ("to", JSONValue(to.number)))
    }
  }
}

package enum ContentEncoding: String, Hashable, Sendable, CaseIterable {
  case gzip
  /// Optional; about half the size of gzip.
  case xz

  package var fileExtension: String { self == .gzip ? "gz" : "xz" }
}

/// Chooses the chain of deltas with the fewest bytes between two versions.
package enum DeltaChain {
  private typealias Path = (bytes: Int, deltas: [PublishedObject])

  /// The deltas in order; empty if `start` is `end`, nil if no chain exists. Deltas are state-based and apply to any
  /// version that they cover, so the first one may begin before `start`. `schema` is that of the data at `start`;
  /// without it, the first one may have any.
  package static func shortest(
    _ objects: [PublishedObject], from start: SeedVersion, _ schema: SHA256Digest? = nil, to end: SeedVersion
  ) -> [PublishedObject]? {
    var best: [SeedVersion: Path] = [start: (0, [])]
    let edges = objects.compactMap {
      object -> (from: SeedVersion, to: SeedVersion, delta: PublishedObject)? in
      guard case .delta(let from, let to, _) = object.kind else { return nil }
      return (from, to, object)
    }
    for (from, to, delta) in edges.sorted(by: { ($0.to, $0.from) < ($1.to, $1.from) })
    where to > start && to <= end {
      let before = delta.schemaBefore ?? delta.schema
      let reached = best.filter { version, path in
        from <= version && version < to && (path.deltas.last?.schema ?? schema ?? before) == before
      }
      guard let path = reached.values.min(by: isShorter) else { continue }
      let longer = (path.bytes + delta.length, path.deltas + [delta])
      if let known = best[to], !isShorter(longer, known) { continue }
      best[to] = longer
    }
    return best[end]?.deltas
  }

  /// The chain from data with the schema `before`, if it leads to the schema `after`.
  package static func shortest(
    _ objects: [PublishedObject], from start: SeedVersion, _ before: SHA256Digest, to end: SeedVersion,
    _ after: SHA256Digest?
  ) -> [PublishedObject]? {
    let chain = shortest(objects, from: start, before, to: end)
    return (chain?.last?.schema ?? before) == after ? chain : nil
  }

  private static func isShorter(_ path: Path, _ other: Path) -> Bool {
    (path.bytes, path.deltas.count) < (other.bytes, other.deltas.count)
  }
}
