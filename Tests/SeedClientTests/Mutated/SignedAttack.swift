import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust
import Support

/// Inconsistent metadata of a series, signed by an attacker with the online keys.
///
/// Excludes consistent forgeries: other rows with their own digest are a valid publication.
struct SignedAttack {
  enum Kind: CaseIterable {
    case object, state, file, delta, snapshot
  }

  private let world: MutatedWorld
  private let kind: Kind
  private var random: SplitMix
  private let scratch: TemporaryFolder

  init(_ world: MutatedWorld, _ kind: Kind, seed: UInt64, scratch: TemporaryFolder) {
    self.world = world
    self.kind = kind
    self.scratch = scratch
    random = SplitMix(seed: seed)
  }

  mutating func files() throws -> [String: [UInt8]] {
    let truth = try world.publisher.metadata()
    var (state, objects, contents) = (truth.state, truth.objects, world.contents)
    let index = Int.random(in: objects.indices, using: &random)
    switch kind {
    case .object: objects[index] = try changed(objects[index], random.pick(objects))
    case .state: try change(&state)
    case .file: objects[index] = objects[index].with(file: random.pick(objects))
    case .delta:
      let index = random.pick(objects.indices.filter { !objects[$0].isSnapshot })
      let content = try SignedContent(delta(objects[index], contents))
      objects[index] = objects[index].with(file: content)
      contents[content.sha256] = content.stored
    case .snapshot:
      let index = random.pick(objects.indices.filter { objects[$0].isSnapshot })
      let content = try SignedContent(snapshot(objects[index], contents))
      objects[index] = objects[index].with(file: content)
      contents[content.sha256] = content.stored
    }
    let lie = SeriesMetadata(series: truth.series, state: state, objects: objects)
    var files = world.served.merging(try world.publisher.signed(lie)) { $1 }
    for object in lie.objects { files[object.filePath] = contents[object.sha256] }
    return files
  }

  private mutating func version() throws -> SeedVersion {
    try SeedVersion(random.pick([1, 2, 3, 4, 5, 6, 7, Int(Limits.exactJSONInteger)]))
  }

  private mutating func digest(_ other: PublishedObject) -> SHA256Digest {
    random.pick([other.digest, other.rawSHA256, .of([1])])
  }

  // MARK: Metadata

  private mutating func changed(_ object: PublishedObject, _ other: PublishedObject) throws -> PublishedObject
  {
    switch Int.random(in: 0..<6, using: &random) {
    case 0: object.with(kind: try kind(of: object))
    case 1: object.with(digest: digest(other))
    case 2: object.with(schema: digest(other))
    case 3: object.with(model: random.pick(["2.0", "2.2", "2.7"]))
    case 4: object.with(rawLength: random.pick([0, object.rawLength - 1, object.rawLength + 1, 1 << 50]))
    default: object.with(kind: other.kind)
    }
  }

  private mutating func kind(of object: PublishedObject) throws -> PublishedObject.Kind {
    let (one, other) = (try version(), try version())
    if object.isSnapshot { return .snapshot(one, .gzip) }
    guard one != other else { return object.kind }
    return .delta(from: min(one, other), to: max(one, other))
  }

  private mutating func change(_ state: inout SeriesState) throws {
    switch Int.random(in: 0..<6, using: &random) {
    case 0: state.head = try version()
    case 1: state.epoch = .random()
    case 2: state.models[state.model] = .of([1])
    case 3: state.models = ["2.0": .of([1]), "2.2": .of([2])]
    case 4: state.lifecycle = .retired(message: "over")
    default: (state.head, state.epoch) = (try version(), .random())
    }
    state.floor = min(state.floor, state.head)
  }

  // MARK: Contents

  /// The document with another header, or with another row and the original digest.
  private mutating func delta(
    _ object: PublishedObject, _ contents: [SHA256Digest: [UInt8]]
  ) throws -> [UInt8] {
    let document = try Compression.gunzip(contents[object.sha256] ?? [], limit: object.rawLength)
    let truth = try DeltaReader(document).header
    guard random.chance(70) else {
      return Array(String(decoding: document, as: UTF8.self).replacing("\"A ", with: "\"Z ").utf8)
    }
    let lie = DeltaHeader(
      series: random.chance(20) ? SeedSeries("water", model: truth.model) : truth.series,
      model: random.chance(20) ? "2.2" : truth.model, schema: random.chance(20) ? .of([1]) : truth.schema,
      from: random.chance(30) ? try version() : truth.from, to: random.chance(50) ? try version() : truth.to,
      digest: random.chance(20) ? digest(object) : truth.digest)
    let ending = Array("]}\n".utf8)
    return DeltaWriter().document(lie).dropLast(ending.count)
      + document.dropFirst(DeltaWriter().document(truth).count - ending.count)
  }

  private static let tampering = [
    "UPDATE seedbank_meta SET value = '4' WHERE key = 'version'",
    "UPDATE seedbank_meta SET value = '9007199254740991' WHERE key = 'version'",
    "UPDATE seedbank_meta SET value = '0123456789abcdef' WHERE key = 'epoch'",
    "UPDATE seedbank_meta SET value = 'water' WHERE key = 'dataset'",
    "UPDATE seedbank_meta SET value = '2.2' WHERE key = 'model'",
    "UPDATE seedbank_meta SET value = value || '0' WHERE key = 'digest'",
    "UPDATE seedbank_table SET rows = rows + 1", "UPDATE seedbank_table SET sum = zeroblob(32)",
    "UPDATE stop SET name = 'Z' WHERE id = (SELECT max(id) FROM stop)",
    "DELETE FROM stop WHERE id = (SELECT min(id) FROM stop)",
    "ALTER TABLE seedbank_meta RENAME TO mine; CREATE VIEW seedbank_meta AS SELECT * FROM mine",
    "DELETE FROM seedbank_table", "INSERT INTO seedbank_table VALUES ('ghost', 0, zeroblob(32))",
    "DROP TABLE line", "ALTER TABLE stop RENAME COLUMN name TO title", "CREATE TABLE mine(a)",
    "CREATE TRIGGER mine AFTER UPDATE ON stop BEGIN DELETE FROM line; END", "PRAGMA user_version = 1",
    "PRAGMA application_id = 1", "PRAGMA journal_mode = WAL",
  ]

  /// The file with other metadata inside.
  private mutating func snapshot(
    _ object: PublishedObject, _ contents: [SHA256Digest: [UInt8]]
  ) throws -> [UInt8] {
    let (stored, raw) = (scratch("stored"), scratch("raw"))
    try DurableFile.write(contents[object.sha256] ?? [], to: stored)
    try? Folder.remove(raw)
    _ = try Compression.expand(stored, to: raw, .gzip, limit: object.rawLength)
    try tamper(raw)
    return try DurableFile.read(raw, limit: 2 * object.rawLength)
  }

  private mutating func tamper(_ path: String) throws {
    try Connection(path, .writer).execute(random.pick(Self.tampering))
  }
}

/// A file to be signed in place of another.
struct SignedContent {
  let stored: [UInt8]
  let sha256: SHA256Digest
  /// The signed measure of the expanded file.
  let raw: Compression.Measure

  init(_ bytes: [UInt8]) throws {
    self.init(stored: try Compression.gzip(bytes), raw: Compression.Measure(of: bytes))
  }

  init(stored: [UInt8], raw: Compression.Measure) {
    (self.stored, sha256, self.raw) = (stored, .of(stored), raw)
  }
}

extension PublishedObject {
  fileprivate func with(
    kind: Kind? = nil, digest: SHA256Digest? = nil, schema: SHA256Digest? = nil, model: ModelVersion? = nil,
    rawLength: Int? = nil
  ) -> PublishedObject {
    PublishedObject(
      series: series, kind: kind ?? self.kind, length: length, sha256: sha256, model: model ?? self.model,
      rawLength: rawLength ?? self.rawLength, rawSHA256: rawSHA256, schema: schema ?? self.schema,
      digest: digest ?? self.digest)
  }

  /// The same metadata for another object's file.
  fileprivate func with(file other: PublishedObject) -> PublishedObject {
    PublishedObject(
      series: series, kind: kind, length: other.length, sha256: other.sha256, model: model,
      rawLength: other.rawLength, rawSHA256: other.rawSHA256, schema: schema, digest: digest)
  }

  func with(file content: SignedContent) -> PublishedObject {
    PublishedObject(
      series: series, kind: kind, length: content.stored.count, sha256: content.sha256, model: model,
      rawLength: content.raw.length, rawSHA256: content.raw.sha256, schema: schema, digest: digest)
  }

  fileprivate var isSnapshot: Bool { if case .snapshot = kind { true } else { false } }
}
