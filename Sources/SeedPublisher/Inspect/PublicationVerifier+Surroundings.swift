import SeedDatabase
import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust

// Checks beside the publication: the shipped root, working copies and unnamed files.

extension PublicationVerifier {
  func checkRoots(_ report: inout VerificationReport) {
    do { try publication.checkRoots(shipped: anchor) } catch PublicationError.otherRoot {
      // Reported below.
    } catch {
      return report.error("\(publication.path)/metadata", "\(error)")
    }
    if let anchor { checkAnchor(anchor, &report) }
  }

  private func checkAnchor(_ anchor: String, _ report: inout VerificationReport) {
    do {
      guard let bytes = try DurableFile.readIfPresent(anchor, limit: Limits.rootBytes) else {
        return report.add(.note, anchor, "it is not here", remedy: "no action needed")
      }
      let names = try Folder.names(in: "\(publication.path)/metadata").filter { $0.hasSuffix(".root.json") }
      guard try names.contains(where: { try publication.metadata($0) == bytes }) else {
        return report.error(
          anchor, "it is not a root of this publication: apps that ship it reject everything from here",
          remedy: "restore a root and a publication that belong together")
      }
    } catch { report.error(anchor, "\(error)") }
  }

  /// A publisher compares every row with the copy, so damage to a copy does not reach clients.
  private static let copyRemedy = "\(Remedy.regenerate): it rebuilds the copy from the publication"

  /// Compares a working copy with the published head. Only notes if a publisher is running.
  func checkCopy(_ series: SeedSeries, _ report: inout VerificationReport) throws {
    let path = WorkingCopy.path(of: series, in: stateFolder)
    do {
      let checked: Void? = try publication.lock.holdIfFree {
        // Read again under the lock, because the earlier metadata may be outdated.
        guard let published = try publication.published().series[series]?.metadata else { return }
        try checkCopy(path, published, &report)
      }
      guard checked == nil else { return }
      report.add(
        .note, path, "it was not checked: a publisher is working", remedy: "verify again when it has finished"
      )
    } catch let error as FileError where error.isUnwritable {
      report.add(
        .note, path, "it was not checked: \(error)",
        remedy: "verify as the publisher's user, and with a disk that can be written")
    } catch  where !error.saysFull { report.add(.warning, path, "\(error)", remedy: Self.copyRemedy) }
  }

  private func checkCopy(
    _ path: String, _ published: SeriesMetadata, _ report: inout VerificationReport
  ) throws {
    guard Folder.exists(path) else {
      return report.add(.note, path, "there is no working copy", remedy: Self.copyRemedy)
    }
    let copy = try Connection(path, .writer)
    let (meta, head) = (try SeedTables.meta(copy), published.state.head)
    guard meta.epoch == published.state.epoch, meta.series == published.series else {
      return report.error(path, "the copy belongs to another history", remedy: Self.copyRemedy)
    }
    guard meta.version <= head else {
      return report.error(
        path, "the copy is at version \(meta.version), ahead of the publication's \(head)",
        remedy: "restore the newest backup of the publication")
    }
    let sums = try SeedCheck(copy, try SchemaReader(copy).schema()).sums()
    guard StateDigest.of(sums) == meta.digest else {
      return report.error(path, "the copy's rows do not match its digest", remedy: Self.copyRemedy)
    }
    guard meta.version == head else {
      return report.add(
        .warning, path, "the copy is at version \(meta.version), the head is \(head)",
        remedy: Remedy.regenerate)
    }
    let signed = published.objects.first { $0.version == head && $0.schema == meta.schema }
    if let signed, signed.digest != meta.digest {
      report.error(path, "the copy's rows do not match the published head", remedy: Self.copyRemedy)
    }
  }

  func unnamedFiles(named: Set<String>) throws -> [String] {
    let metadata = try Folder.names(in: "\(publication.path)/metadata").map { "metadata/\($0)" }
    return (metadata + (try files(below: "targets"))).filter { !named.contains($0) && isChosen($0) }.sorted()
  }

  private func files(below folder: String) throws -> [String] {
    try Folder.names(in: "\(publication.path)/\(folder)").flatMap { name in
      let path = "\(folder)/\(name)"
      return Folder.isFolder("\(publication.path)/\(path)") ? try files(below: path) : [path]
    }
  }

  private func isChosen(_ path: String) -> Bool {
    guard let dataset, path.hasPrefix("targets/") else { return true }
    return path.hasPrefix("targets/\(dataset)/")
  }
}
