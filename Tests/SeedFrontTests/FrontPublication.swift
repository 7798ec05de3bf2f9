import Foundation
import SeedDatabase
import SeedFormat
import SeedHTTP
import SeedPublication
import SeedSigning
import SeedSystem
import SeedTrust
import Support

@testable import SeedFront

/// A signed publication on disk. The front checks only lengths and hashes of files, so snapshots are plain text.
///
/// Used by one test, which publishes from one task. Tests that publish nothing share ``usual``.
final class FrontPublication: @unchecked Sendable {
  static let transit = SeedSeries("transit", model: "2.1")
  static let epoch = Epoch.random()
  static let start = UTCTime(secondsSinceEpoch: 1_790_000_000)

  let folder: TemporaryFolder
  let directory: PublicationDirectory
  private let signer = RepositorySigner(now: start)
  private let keys: KeyRing
  private var published: PublishedMetadata

  /// Delegates to the series and publishes none of them yet.
  init(_ series: [SeedSeries] = [transit]) throws {
    folder = try TemporaryFolder(inMemory: true)
    directory = PublicationDirectory(folder("publication"))
    let one = SigningKey.generate()
    keys = KeyRing(Dictionary(uniqueKeysWithValues: KeyRole.allCases.map { ($0, [one]) }))
    let step = try signer.create(delegating: series, keys: keys)
    published = step.published
    try directory.write(step.files)
  }

  /// The usual history: versions 90 to 104 of transit/2, and deltas from 100 on including a merged one.
  convenience init(history: Void) throws {
    try self.init()
    try publish(Self.transit, head: 104, floor: 100, Self.usualObjects(self))
  }

  private static func usualObjects(_ publication: FrontPublication) throws -> [PublishedObject] {
    try [
      publication.snapshot(transit, 90), publication.snapshot(transit, 100),
      publication.snapshot(transit, 100, .xz), publication.snapshot(transit, 104),
      publication.delta(transit, 100, 101), publication.delta(transit, 101, 102),
      publication.delta(transit, 102, 103), publication.delta(transit, 103, 104),
      publication.delta(transit, 96, 102, padding: 10),
    ]
  }

  func publish(
    _ series: SeedSeries, head: Int, floor: Int, _ objects: [PublishedObject],
    lifecycle: SeedLifecycle = .active, minor: Int = 1
  ) throws {
    try publish([metadata(series, head: head, floor: floor, objects, lifecycle: lifecycle, minor: minor)])
  }

  func metadata(
    _ series: SeedSeries, head: Int, floor: Int, _ objects: [PublishedObject],
    lifecycle: SeedLifecycle = .active, minor: Int = 1
  ) throws -> SeriesMetadata {
    let state = try state(series, head, floor, lifecycle, minor)
    return SeriesMetadata(series: series, state: state, objects: objects)
  }

  func publish(_ metadata: [SeriesMetadata]) throws {
    let step = try signer.publish(metadata, after: published, keys: keys)
    published = step.published
    try directory.write(step.files)
  }

  private func state(
    _ series: SeedSeries, _ head: Int, _ floor: Int, _ lifecycle: SeedLifecycle, _ minor: Int
  ) throws -> SeriesState {
    let models = try (0...minor).map { try ModelVersion(major: series.major, minor: $0) }
    let schemas = Dictionary(uniqueKeysWithValues: models.dropFirst().map { ($0, Self.schema) })
    return SeriesState(
      epoch: Self.epoch, head: try SeedVersion(head), floor: try SeedVersion(floor), model: models[minor],
      models: schemas, lifecycle: lifecycle,
      publishedAt: Self.start.adding(seconds: head), pollSeconds: 30, license: "CC0",
      attribution: "City \"Transit\" <b>")
  }

  static let schema = SHA256Digest.of([1])

  /// The usual history, made once for the tests that change nothing in it.
  static let usual: Result<FrontPublication, any Error> = Result {
    let publication = try FrontPublication(history: ())
    atexit { try? Folder.removeAll(usual.get().folder.path) }
    return publication
  }

  static let usualCatalog = Result { try usual.get().catalog() }

  /// A separate folder for the page, with these files.
  static func pages(_ files: [String: [UInt8]]) throws -> TemporaryFolder {
    let folder = try TemporaryFolder(inMemory: true)
    for (name, bytes) in files { try DurableFile.write(bytes, to: folder(name)) }
    return folder
  }

  func snapshot(_ series: SeedSeries, _ version: Int, _ encoding: ContentEncoding = .gzip) throws
    -> PublishedObject
  {
    let raw = Array("snapshot \(version) of \(series)\n".utf8)
    // The front never unpacks xz, so any other bytes will do.
    let stored = encoding == .gzip ? try Compression.gzip(raw) : Array("xz".utf8) + raw
    return try object(series, .snapshot(SeedVersion(version), encoding), raw, stored, rawSHA256: .of(raw))
  }

  /// A delta's file: a document on one line with this much padding.
  func delta(
    _ series: SeedSeries, _ from: Int, _ to: Int, padding: Int = 1, _ encoding: ContentEncoding = .gzip,
    text: String? = nil
  ) throws -> PublishedObject {
    let changes = text ?? String(repeating: "x", count: padding)
    let raw = Array(#"{"from":\#(from),"to":\#(to),"changes":"\#(changes)"}"#.utf8) + [0x0A]
    return try object(
      series, .delta(from: SeedVersion(from), to: SeedVersion(to), encoding), raw,
      encoding == .gzip ? Compression.gzip(raw) : Array("xz".utf8))
  }

  private func object(
    _ series: SeedSeries, _ kind: PublishedObject.Kind, _ raw: [UInt8], _ stored: [UInt8],
    rawSHA256: SHA256Digest? = nil
  ) throws -> PublishedObject {
    let object = PublishedObject(
      series: series, kind: kind, length: stored.count, sha256: .of(stored),
      model: try ModelVersion(major: series.major, minor: 1), rawLength: raw.count, rawSHA256: rawSHA256,
      schema: Self.schema, digest: Self.schema)
    try directory.write(stored, as: object)
    return object
  }

  func catalog(after previous: PublishedCatalog? = nil) throws -> PublishedCatalog {
    try PublishedCatalog(loading: directory, after: previous)
  }

  func addRoot() throws {
    var change = try OfflineChange(root: signer.renewedRoot(after: published))
    change.sign(with: keys, after: published)
    let step = try signer.publish([], adopting: change, after: published, keys: keys)
    published.root = step.published.root
    try directory.write(step.files.filter { $0.name.hasSuffix("root.json") })
  }

  /// Replaces a metadata file by invalid content.
  func damage(_ name: String) throws {
    try DurableFile.write(Array("{}".utf8), to: "\(directory.path)/metadata/\(name)")
  }
}

extension Router {
  func answer(_ request: HTTPRequest, in view: CatalogView) -> HTTPResponse {
    Router.finished(respond(to: request, in: view).selected(for: request), for: request)
  }
}

extension CatalogSource {
  /// The catalog after a check, which a running front does within moments.
  func looked() -> CatalogView {
    look()
    return current()
  }
}

extension HTTPResponse {
  var bytes: [UInt8] {
    switch body {
    case .bytes(let bytes): bytes
    case .stream(let length, let open): Self.drain(open(), length: Int(length))
    case .empty, .file: []
    }
  }

  private static func drain(_ stream: any HTTPByteStream, length: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    var room = [UInt8](repeating: 0, count: 1000)
    while bytes.count < length, let count = room.withUnsafeMutableBytes(stream.next) {
      bytes += room.prefix(count)
    }
    return bytes
  }

  var json: JSONValue? { try? JSONValue(parsing: bytes) }

  var problem: ProblemType? {
    guard headers["Content-Type"] == Problem.mediaType else { return nil }
    return json?["type"]?.string.flatMap(ProblemType.init)
  }
}

extension PublicationDirectory {
  /// Writes these bytes as an object's file, whether or not they match its signature.
  func write(_ bytes: [UInt8], as object: PublishedObject) throws {
    try Folder.create(Folder.parent(of: file(object)))
    try DurableFile.write(bytes, to: file(object))
  }
}
