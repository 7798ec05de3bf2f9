import SeedDatabase
import SeedFormat
package import SeedSystem
import SeedTrust

/// Proves a store from what lies in it, without a network, without writing anything and without keeping a writer away.
package struct StoreExamination {
  private let layout: StoreLayout
  private let root: [UInt8]?
  private let now: UTCTime

  /// An examination of a store's directory; trust begins with `root`, or else with the newest root that the store
  /// has kept.
  package init(_ directory: String, root: [UInt8]?, now: UTCTime = .now()) {
    layout = StoreLayout(directory: directory)
    self.root = root
    self.now = now
  }

  /// Looks at everything. It throws where there is no store, or where the disk fails.
  package func run() throws(SeedError) -> StoreReport {
    do {
      guard Folder.isFolder(layout.generations) else {
        throw SeedError(.io, "there is no store in \(layout.directory): 'seedbank pull' makes one")
      }
      let before = try StoreWitness(layout)
      let report = try report(isInUse: before.isInUse)
      // A writer that came meanwhile may have changed what was read as if nobody did.
      return try before.isInUse || StoreWitness(layout) == before ? report : self.report(isInUse: true)
    } catch {
      throw SeedError(error)
    }
  }

  /// What is found where a process writes, or nobody does.
  private func report(isInUse: Bool) throws -> StoreReport {
    var report = StoreReport()
    report.isInUse = isInUse
    if isInUse {
      report.add(.note, "LOCK", "a process writes to this store just now", StoreRemedy.none)
    }
    try look(&report)
    return report
  }

  private func look(_ report: inout StoreReport) throws {
    let pointer = try pointer(&report)
    var meta: SeedMeta?
    for name in try Folder.names(in: layout.generations) {
      let place = GenerationExamination.Place(name, pointer)
      let found = GenerationExamination(layout.folder(name), place).run(&report)
      if place == .current { meta = found }
    }
    let signed = try TrustExamination(layout, root: root, now: now).run(meta?.series, &report)
    if let meta, let signed { compare(meta, signed, pointer?.current ?? "", &report) }
    try LeftoverExamination(layout).run(&report)
  }

  // MARK: What counts

  private func pointer(_ report: inout StoreReport) throws -> GenerationPointer? {
    guard let pointer = try layout.pointer() else {
      let problem =
        Folder.exists(layout.current) ? "it does not name a generation" : "no generation counts yet"
      report.add(.error, "CURRENT", problem, StoreRemedy.update)
      return nil
    }
    guard Folder.exists(layout.folder(pointer.current).record) else {
      report.add(.error, "CURRENT", "it names \(pointer.current), which is not there", StoreRemedy.update)
      return nil
    }
    return pointer
  }

  /// Whether the rows are those that were published as that version.
  private func compare(
    _ meta: SeedMeta, _ signed: SeriesMetadata, _ name: String, _ report: inout StoreReport
  ) {
    let path = "generations/\(name)"
    guard meta.epoch == signed.state.epoch else {
      return report.add(.warning, path, "it is of another epoch than the metadata", StoreRemedy.update)
    }
    if meta.version > signed.state.head {
      report.add(
        .warning, path, "it is at version \(meta.version), beyond the signed head \(signed.state.head)",
        StoreRemedy.update)
    }
    let published = signed.objects.first { $0.version == meta.version && $0.schema == meta.schema }
    guard let published, published.digest != meta.digest else { return }
    report.add(
      .error, path, "its digest is not the one that was signed for \(meta.version)", StoreRemedy.update)
  }
}
