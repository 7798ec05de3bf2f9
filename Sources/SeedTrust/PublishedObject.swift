package import SeedFormat
package import SeedSystem

package struct PublishedObject: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case snapshot(SeedVersion, ContentEncoding)
    /// The changed rows; `from` is below `to`. Every delta is listed in gzip, so that stored deltas can be spliced. Large
    /// deltas that merge others or begin a minor are also listed in xz.
    case delta(from: SeedVersion, to: SeedVersion, ContentEncoding = .gzip)
  }

  package let series: SeedSeries
  package let kind: Kind
  package let length: Int
  package let sha256: SHA256Digest
  package let model: ModelVersion
  package let rawLength: Int
  /// The SHA-256 of a snapshot's SQLite file. Nil for a delta, because `digest` already proves the resulting rows.
  package let rawSHA256: SHA256Digest?
  /// The schema hash of `model`.
  package let schema: SHA256Digest
  /// For a delta that begins a minor, the schema hash of the data to which it applies; otherwise nil.
  package let schemaBefore: SHA256Digest?
  /// The state digest of the rows at ``version``.
  package let digest: SHA256Digest
  /// The publication time of a snapshot; nil for deltas.
  package let publishedAt: UTCTime?

  package init(
    series: SeedSeries, kind: Kind, length: Int, sha256: SHA256Digest, model: ModelVersion, rawLength: Int,
    rawSHA256: SHA256Digest? = nil, schema: SHA256Digest, schemaBefore: SHA256Digest? = nil,
    digest: SHA256Digest, publishedAt: UTCTime? = nil
  ) {
    (self.series, self.kind, self.length, self.sha256) = (series, kind, length, sha256)
    (self.model, self.rawLength, self.rawSHA256) = (model, rawLength, rawSHA256)
    (self.schema, self.schemaBefore) = (schema, schemaBefore)
    (self.digest, self.publishedAt) = (digest, publishedAt)
  }

  package var fileName: String { kind.fileName }

  /// The object's name in TUF: `transit/2/snapshot-102.sqlite.gz`.
  package var targetPath: String { "\(series)/\(fileName)" }

  /// The object's path in the publication: `targets/transit/2/<sha256>.snapshot-102.sqlite.gz`.
  package var filePath: String { "\(series.folder)/\(sha256.hex).\(fileName)" }

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

  /// Returns nil if the name has an unknown form or the model is not in `models`. A newer version of the
  /// publisher may have introduced such a name or model.
  init?(
    _ path: String, _ file: TargetFile, in series: SeedSeries, _ models: [ModelVersion: SHA256Digest]
  ) throws(MalformedJSON) {
    let at = "signed.targets.\(path)"
    guard path.hasPrefix("\(series)/") else { throw .field(path: at, reason: "is not in \(series)") }
    let name = String(path.dropFirst("\(series)/".count))
    guard let kind = Kind(fileName: name) else { return nil }
    guard let sha256 = try? SHA256Digest(hex: file.hashes["sha256"] ?? "") else {
      throw .field(path: "\(at).hashes.sha256", reason: "expected 64 lower-case hexadecimal digits")
    }
    guard let custom = file.custom else { throw .field(path: "\(at).custom", reason: "is missing") }
    var fields = try JSONObjectReader(custom, at: "\(at).custom")
    model = try fields.value("model", ModelVersion.init(_:))
    guard model.major == series.major else {
      throw fields.error("model", "\(model) is not of series \(series)")
    }
    guard let schema = models[model] else { return nil }
    (self.series, self.kind, self.sha256, self.schema) = (series, kind, sha256, schema)
    length = file.length
    rawLength = try fields.integer("rawLength", from: 0)
    guard max(length, rawLength) <= Limits.objectBytes else {
      throw .field(path: at, reason: "expected at most \(Limits.objectBytes) bytes")
    }
    rawSHA256 = if case .snapshot = kind { try fields.digest("rawSHA256") } else { nil }
    schemaBefore = fields.has("schemaBefore") ? try fields.digest("schemaBefore") : nil
    digest = try fields.digest("digest")
    publishedAt = try fields.integerIfPresent("publishedAt", from: 0).map(UTCTime.init(secondsSinceEpoch:))
  }

  var target: TargetFile {
    let custom = JSONValue.object(
      .init(
        ("model", .string(model.description)), ("rawLength", JSONValue(rawLength)),
        ("rawSHA256", rawSHA256.map { .string($0.hex) }),
        ("schemaBefore", schemaBefore.map { .string($0.hex) }), ("digest", .string(digest.hex)),
        ("publishedAt", publishedAt.map { JSONValue($0.secondsSinceEpoch) })))
    return TargetFile(length: length, sha256: sha256, custom: custom)
  }
}

extension PublishedObject.Kind {
  /// `snapshot-102.sqlite.gz` or `delta-100-102.json.gz`.
  var fileName: String {
    switch self {
    case .snapshot(let version, let encoding): "snapshot-\(version).sqlite.\(encoding.fileExtension)"
    case .delta(let from, let to, let encoding): "delta-\(from)-\(to).json.\(encoding.fileExtension)"
    }
  }

  init?(fileName: String) {
    let words = fileName.split { "-.".contains($0) }.map { String($0) }
    let versions = words.compactMap { try? SeedVersion($0) }
    guard let encoding = ContentEncoding.allCases.first(where: { $0.fileExtension == words.last }),
      let last = versions.last
    else { return nil }
    self = versions[0] < last ? .delta(from: versions[0], to: last, encoding) : .snapshot(last, encoding)
    if self.fileName != fileName { return nil }
  }

  package func encoded(as encoding: ContentEncoding) -> Self {
    switch self {
    case .snapshot(let version, _): .snapshot(version, encoding)
    case .delta(let from, let to, _): .delta(from: from, to: to, encoding)
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

  /// Returns the deltas in order; empty if `start` is `end`, nil if no chain exists. The first delta may begin before
  /// `start`: a delta sets all values that changed since its `from`, so it also applies to later versions before
  /// `to`. `schema` is the schema of the data at `start`; if it is nil, the first delta may apply to any schema.
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

  /// Returns the chain from data with the schema `before`; nil unless it leads to the schema `after`.
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

extension SeedSeries {
  /// The folder of the series' objects within the publication.
  package var folder: String { "targets/\(self)" }
}
