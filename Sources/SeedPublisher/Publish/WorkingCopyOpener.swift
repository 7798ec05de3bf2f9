import SeedDatabase
import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust

struct WorkingCopyOpener {
  let context: StepContext
  let plan: SeriesPlan
  let published: SeriesMetadata

  private var path: String { context.copyPath(plan.series) }
  /// A preview leaves the copy alone and repairs a temporary one instead.
  private var isPreview: Bool { context.options.isPreview }

  /// Opens the copy at the head. Applies missing deltas, or rebuilds the copy for the reason `repair`.
  func open() throws -> (copy: WorkingCopy, repair: String?) {
    guard Folder.exists(path) else { return try rebuild(because: "it was missing") }
    var copy: WorkingCopy
    let meta: SeedMeta
    do {
      copy = try WorkingCopy(path)
      meta = try copy.meta()
    } catch { return try rebuild(because: error is SchemaProblem ? Self.edited : "\(error)") }
    guard meta.epoch == published.state.epoch, meta.series == plan.series else {
      return try rebuild(because: "it belonged to another epoch or series")
    }
    guard meta.schema == copy.schema.hash else { return try rebuild(because: Self.edited) }
    let head = published.state.head
    guard meta.version <= head else {
      throw PublicationError.copyAhead(copy: path, version: "\(meta.version)", head: "\(head)")
    }
    let chain = DeltaChain.shortest(
      published.objects, from: meta.version, meta.schema, to: head, published.state.schema)
    guard let chain else {
      return try rebuild(
        because: meta.version == head
          ? "it had another schema" : "it did not catch up: no deltas lead on from version \(meta.version)")
    }
    if chain.isEmpty { return (copy, nil) }
    if isPreview { return (try rebuild(), nil) }
    do {
      try copy.apply(chain, from: context.publication)
      return (copy, nil)
    } catch { return try rebuild(because: "it did not catch up: \(error.cause)") }
  }

  private static let edited = "its tables, indexes or views were changed by hand"

  private func rebuild(because reason: String) throws -> (copy: WorkingCopy, repair: String?) {
    (try rebuild(), isPreview ? nil : reason)
  }

  func rebuild() throws -> WorkingCopy {
    context.publisher.progress("\(plan.series): rebuilding the working copy")
    let recall = SeriesRecall(context.publication, published)
    guard let chain = try? recall.chain(to: published.state.head), chain.end.schema == published.state.schema
    else { throw PublicationError.noSnapshot(series: "\(plan.series)") }
    let temporary = isPreview ? Self.previewPath(path) : "\(path).rebuild\(DurableFile.temporarySuffix)"
    let copy = try recall.make(chain, at: temporary)
    // Published files include statistics. In a copy they would become outdated and would be copied to later snapshots.
    try copy.connection.execute("DROP TABLE IF EXISTS sqlite_stat1; DROP TABLE IF EXISTS sqlite_stat4")
    return try Self.install(copy, as: isPreview ? temporary : path)
  }

  static func previewPath(_ path: String) -> String { "\(path).preview\(DurableFile.temporarySuffix)" }

  /// Moves a finished copy into place, and opens it as the publisher's own. The copy is closed while it is renamed.
  static func install(_ copy: consuming WorkingCopy, as path: String) throws -> WorkingCopy {
    let temporary = copy.path
    _ = consume copy
    if temporary != path {
      try WorkingCopy.remove(path)
      try DurableFile.moveIntoPlace(temporary, path)
    }
    return try WorkingCopy(path)
  }
}
