import SeedDatabase
import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust

extension PublicationVerifier {
  /// Checks an object's stored bytes, expanded bytes and rows.
  func check(_ object: PublishedObject, _ report: inout VerificationReport) throws -> Bool {
    guard let problem = try problem(of: object, &report) else { return true }
    // A publisher has removed the object meanwhile, so clients no longer use it.
    guard publication.stillNames(object) else { return false }
    report.error(object.filePath, problem, remedy: Remedy.restore(object))
    return false
  }

  private func problem(of object: PublishedObject, _ report: inout VerificationReport) throws -> String? {
    let file = publication.file(object)
    guard Folder.exists(file) else { return "it is missing" }
    do {
      let found = try SHA256Digest.ofFile(at: file)
      report.objects += 1
      report.bytes += found.length
      if found.length != object.length {
        return "it has \(found.length) bytes, but the signed length is \(object.length)"
      }
      if found.digest != object.sha256 { return "its SHA-256 does not match the signed one" }
      try checkContent(object, &report)
      return nil
    } catch PublicationError.damaged {
      return "its expanded bytes do not match the signed length or SHA-256"
    } catch  where !error.saysHindrance { return "\(error)" }
  }

  private func checkContent(_ object: PublishedObject, _ report: inout VerificationReport) throws {
    let path = "\(scratch)/object"
    defer { try? WorkingCopy.remove(path) }
    try publication.expand(object, to: path)
    guard object.span == nil else { return }
    let seed = try Connection(path, .seed)
    let schema = try OmittedIndexes.build(in: seed, signed: object.schema)
    let check = SeedCheck(seed, schema)
    try check.run()
    try check.checkSearchTables()
    report.snapshots += 1
    let meta = try SeedTables.meta(seed)
    guard meta.schema == object.schema else { throw NotASeed("its schema differs from the signed one") }
    guard meta.digest == object.digest else { throw NotASeed("its rows do not match the signed digest") }
    guard meta.version == object.version, meta.series == object.series, meta.model == object.model else {
      throw NotASeed("it claims to be \(meta.series), model \(meta.model), version \(meta.version)")
    }
  }
}

extension PublicationDirectory {
  /// Whether current metadata still names the object. A publisher may have run since this verification read the list.
  func stillNames(_ object: PublishedObject) -> Bool {
    guard let published = try? published() else { return true }
    return published.series[object.series]?.metadata.objects.contains(object) ?? false
  }
}

extension Error {
  /// Whether the error concerns the scratch files on this machine rather than the publication.
  var saysHindrance: Bool {
    (self as? FileError)?.isFull == true || (self as? DatabaseError)?.saysHindrance == true
  }
}
