package import SeedDatabase
package import SeedFormat
package import SeedPublication
import SeedSystem
package import SeedTrust

/// Rebuilds the database of any published version from the publication alone. Expands the newest snapshot at or below
/// the version and applies the following deltas one by one.
package struct SeriesRecall {
  private let publication: PublicationDirectory
  private let published: SeriesMetadata

  package init(_ publication: PublicationDirectory, _ published: SeriesMetadata) {
    (self.publication, self.published) = (publication, published)
  }

  package struct Chain: Sendable {
    package let snapshot: PublishedObject
    package let deltas: [PublishedObject]

    var end: PublishedObject { deltas.last ?? snapshot }
  }

  package func chain(to version: SeedVersion) throws(RecallError) -> Chain {
    guard let chain = knownChain(to: version) else { throw unreachable(version, versions) }
    return chain
  }

  private func unreachable(_ version: SeedVersion, _ choices: [SeedVersion]) -> RecallError {
    let (series, head) = (published.series, published.state.head)
    guard version <= head else {
      return RecallError("there is no version \(version) of \(series): the newest is \(head)")
    }
    return RecallError(
      "version \(version) of \(series) cannot be rebuilt from published files\(choices.choice)")
  }

  private func knownChain(to version: SeedVersion) -> Chain? {
    published.objects.snapshots().lazy.filter { $0.version <= version }.compactMap { snapshot in
      DeltaChain.shortest(published.objects, from: snapshot.version, snapshot.schema, to: version)
        .map { Chain(snapshot: snapshot, deltas: $0) }
    }.first
  }

  /// All versions that can be rebuilt, in ascending order.
  package var versions: [SeedVersion] {
    Set(published.objects.map(\.version)).sorted().filter { knownChain(to: $0) != nil }
  }

  /// Throws if the series cannot roll back to the version. `newest` is the series' newest model.
  package func checkRollback(to version: SeedVersion, newest: ModelVersion) throws(RecallError) {
    let choices = versions.filter { knownChain(to: $0)?.end.model == newest }
    guard let chain = knownChain(to: version) else { throw unreachable(version, choices) }
    guard chain.end.model == newest, published.state.model == newest else {
      throw RecallError(
        "version \(version) of \(published.series) has model \(chain.end.model), but the newest has \(newest): "
          + "a rollback must stay within one model\(choices.choice). To publish its rows again, run "
          + "'seedbank export --version \(version) --to FILE', copy them to the origin, and run 'seedbank regenerate'"
      )
    }
  }

  /// Writes the version to `path` without syncing, and opens it. Verifies all rows against the signed digest.
  package func recall(_ version: SeedVersion, to path: String) throws -> WorkingCopy {
    try naming(version) {
      let chain = try chain(to: version)
      let copy = try make(chain, at: path, isDurable: false)
      guard StateDigest.of(try SeedCheck(copy.connection, copy.schema).sums()) == chain.end.digest else {
        throw NotASeed("the rows do not match the signed digest")
      }
      return copy
    }
  }

  func naming<Result>(_ version: SeedVersion, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as NotASeed {
      throw NotASeed("version \(version) of \(published.series): \(error.reason)")
    }
  }

  /// Like ``recall(_:to:)``, but verifies each delta by the stored sums instead of reading every row.
  func make(_ chain: Chain, at path: String, isDurable: Bool = true) throws -> WorkingCopy {
    var copy = try WorkingCopy(expanding: chain.snapshot, in: publication, to: path)
    if !isDurable { try copy.connection.execute("PRAGMA synchronous = OFF") }
    try copy.apply(chain.deltas, from: publication)
    return copy
  }

  /// Writes a version to `path` as the snapshot that clients would get, verified and synced, with indexes and
  /// statistics. `scratch` is a path for a temporary file of the same size, which the caller removes.
  package func export(_ version: SeedVersion, to path: String, by scratch: String) throws -> SeedMeta {
    try naming(version) {
      // The checks below read every row of the finished file, so the copy is not checked here.
      let copy = try make(try chain(to: version), at: scratch, isDurable: false)
      let file = SnapshotFile(schema: copy.schema, indexes: .snapshot)
      try file.draw(copy, at: path)
      try file.complete(path)
      for check in file.checks(of: path) { try check() }
      try File(path, for: .reading).sync()
      return try copy.meta()
    }
  }
}

/// The reason why a version cannot be rebuilt, or why the series cannot roll back to it.
package struct RecallError: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String

  fileprivate init(_ description: String) { self.description = description }

  package static func notPublished(_ series: SeedSeries) -> Self {
    Self("the series \(series) is not published or is retired: it has no older version")
  }
}

extension [SeedVersion] {
  /// Formats the versions as `: choose from 1, 4 to 9, 12`.
  fileprivate var choice: String {
    let ranges = map(\.number).runs
      .map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound) to \($0.upperBound)" }
    return isEmpty
      ? ", and no other version can be chosen yet" : ": choose from \(ranges.joined(separator: ", "))"
  }
}
