import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

/// Compares one published object with what was signed of it: the bytes as stored, the bytes within, the rows.
struct ObjectVerification {
  let publication: PublicationDirectory
  /// A folder for files that are needed for a moment.
  let scratch: String
  /// Every object of the publication by its hash, to say what lies in another's place.
  let known: [SHA256Digest: String]

  /// Whether the object is good.
  func check(_ object: PublishedObject, _ report: inout VerificationReport) -> Bool {
    guard let problem = problem(of: object, &report) else { return true }
    // What a publisher removed meanwhile is nobody's any more.
    guard publication.stillNames(object) else { return false }
    report.error(object.filePath, problem)
    return false
  }

  private func problem(of object: PublishedObject, _ report: inout VerificationReport) -> String? {
    let file = publication.file(object)
    guard Folder.exists(file) else { return "it is missing" }
    do {
      let found = try SHA256Digest.ofFile(at: file)
      report.objects += 1
      report.bytes += found.length
      if let mismatch = mismatch(found, object) { return mismatch }
      switch object.kind {
      case .snapshot: try checkSnapshot(object, &report)
      case .delta: try checkDelta(object)
      }
      return nil
    } catch {
      return "\(error)"
    }
  }

  private func mismatch(
    _ found: (digest: SHA256Digest, length: Int), _ object: PublishedObject
  ) -> String? {
    if found.digest != object.sha256, let other = known[found.digest] { return "in its place lies \(other)" }
    if found.length != object.length {
      return "it has \(found.length) bytes where \(object.length) are signed"
    }
    return found.digest == object.sha256 ? nil : "its bytes have another SHA-256 than the signed one"
  }

  private func checkDelta(_ object: PublishedObject) throws {
    let path = "\(scratch)/delta.json"
    defer { try? Folder.remove(path) }
    let raw = try Compression.expand(publication.file(object), to: path, .gzip, limit: object.rawLength)
    guard raw == .init(length: object.rawLength, sha256: object.rawSHA256) else {
      throw NotASeed("what it expands to is not what is signed")
    }
  }

  private func checkSnapshot(_ object: PublishedObject, _ report: inout VerificationReport) throws {
    let path = "\(scratch)/snapshot.sqlite"
    defer { try? WorkingCopy.remove(path) }
    let raw = try Compression.expand(
      publication.file(object), to: path, object.encoding, limit: object.rawLength)
    guard raw == .init(length: object.rawLength, sha256: object.rawSHA256) else {
      throw NotASeed("what it expands to is not what is signed")
    }
    let seed = try Connection(path, .writer)
    try LeftOutIndexes.build(in: seed)
    let schema = try SchemaReader(seed).schema()
    let check = SeedCheck(seed, schema)
    try check.run()
    try check.checkSearchTables()
    report.snapshots += 1
    let meta = try SeedTables.meta(seed)
    guard schema.hash == object.schema, meta.schema == object.schema else {
      throw NotASeed("its schema is not the signed one")
    }
    guard meta.digest == object.digest else { throw NotASeed("its rows are not those of the signed digest") }
    guard meta.version == object.version, meta.series == object.series, meta.model == object.model else {
      throw NotASeed("it says that it is \(meta.series), model \(meta.model), version \(meta.version)")
    }
  }
}

extension PublicationDirectory {
  /// Whether current metadata names the object: a publisher may have been at work since it was listed.
  func stillNames(_ object: PublishedObject) -> Bool {
    guard let published = try? published() else { return true }
    return published.series[object.series]?.metadata.objects.contains(object) ?? false
  }
}
