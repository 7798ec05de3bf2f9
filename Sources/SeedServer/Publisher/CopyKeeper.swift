import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

/// Opens a series' working copy at the published head, whatever happened to it since the last step.
struct CopyKeeper {
  private let publication: PublicationDirectory
  private let plan: SeriesPlan
  private let published: SeriesMetadata
  private let path: String

  init(_ publication: PublicationDirectory, _ plan: SeriesPlan, _ published: SeriesMetadata, path: String) {
    self.publication = publication
    self.plan = plan
    self.published = published
    self.path = path
  }

  /// The copy at head without mending it, for a look that must change nothing; `nil` where it needs mending.
  func openIfWhole() throws(PublicationError) -> WorkingCopy? {
    guard Folder.exists(path), let copy = try? WorkingCopy(path, plan.schema), let meta = try? copy.meta(),
      strangeness(copy, meta) == nil
    else { return nil }
    try refuseAhead(meta)
    return meta.version == published.state.head ? copy : nil
  }

  /// The copy at head. A copy that lags catches up, one that is missing or another history's is made anew.
  func open() throws -> (copy: WorkingCopy, repair: String?) {
    guard Folder.exists(path) else { return (try rebuild(), "it was missing") }
    let copy: WorkingCopy
    let meta: SeedMeta
    do {
      copy = try WorkingCopy(path, plan.schema)
      meta = try copy.meta()
    } catch {
      return (try rebuild(), "\(error)")
    }
    if let strangeness = strangeness(copy, meta) { return (try rebuild(), strangeness) }
    try refuseAhead(meta)
    do {
      try catchUp(copy, from: meta.version)
      return (copy, nil)
    } catch {
      return (try rebuild(), "it did not catch up: \(error)")
    }
  }

  /// Why the copy is not one of what is published.
  private func strangeness(_ copy: WorkingCopy, _ meta: SeedMeta) -> String? {
    guard meta.epoch == published.state.epoch, meta.series == plan.series else {
      return "it belonged to another history"
    }
    guard meta.schema == plan.schema.hash else { return "it had another schema" }
    return copy.hasItsSchema ? nil : "its tables, indexes or views were changed by hand"
  }

  private func refuseAhead(_ meta: SeedMeta) throws(PublicationError) {
    let head = published.state.head
    guard meta.version <= head else {
      throw .copyAhead(copy: path, version: "\(meta.version)", head: "\(head)")
    }
  }

  /// A copy made anew from the newest published snapshot and the deltas behind it.
  func rebuild() throws -> WorkingCopy {
    let temporary = path + ".rebuild"
    let copy = try WorkingCopy(
      adopting: try expandedSnapshot(to: temporary + ".sqlite"), as: temporary, plan.schema)
    guard copy.hasItsSchema else { throw PublicationError.noSnapshot(series: "\(plan.series)") }
    try catchUp(copy, from: try copy.meta().version)
    return try Self.install(copy, as: path)
  }

  /// Renames a finished copy into its place; nobody may have it open while its name changes.
  static func install(_ copy: consuming WorkingCopy, as path: String) throws -> WorkingCopy {
    let (temporary, schema) = (copy.path, copy.schema)
    _ = consume copy
    try WorkingCopy.remove(path)
    try DurableFile.moveIntoPlace(temporary, path)
    return try WorkingCopy(path, schema)
  }

  private func catchUp(_ copy: WorkingCopy, from version: Version) throws {
    guard let chain = DeltaChain.shortest(published.objects, from: version, to: published.state.head) else {
      throw PublicationError.noChain(
        series: "\(plan.series)", from: "\(version)", to: "\(published.state.head)")
    }
    for delta in chain {
      let document = try publication.pieces(delta)
      _ = try copy.connection.transaction { try copy.apply(document, signed: delta) }
    }
  }

  private func expandedSnapshot(to file: String) throws -> String {
    let snapshots = published.objects.filter { object in
      if case .snapshot(_, .gzip) = object.kind { object.schema == plan.schema.hash } else { false }
    }
    guard let newest = snapshots.max(by: { $0.version < $1.version }) else {
      throw PublicationError.noSnapshot(series: "\(plan.series)")
    }
    let stored = publication.file(newest)
    let raw = try Compression.expand(stored, to: file, .gzip, limit: newest.rawLength)
    guard raw == .init(length: newest.rawLength, sha256: newest.rawSHA256) else {
      throw PublicationError.damaged(file: stored)
    }
    return file
  }
}
