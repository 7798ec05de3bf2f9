import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust
import Support

@testable import SeedClient

/// Inconsistent metadata of a series, signed by an attacker with the online keys.
///
/// Excludes consistent forgeries: other rows with their own digest are a valid publication.
struct SignedAttack {
  enum Kind: CaseIterable {
    case object, state, file, delta
  }

  private let world: MutatedWorld
  private let kind: Kind
  private var random: SplitMix

  init(_ world: MutatedWorld, _ kind: Kind, seed: UInt64) {
    self.world = world
    self.kind = kind
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
    random.pick([other.digest, other.sha256, .of([1])])
  }

  // MARK: Metadata

  private mutating func changed(_ object: PublishedObject, _ other: PublishedObject) throws -> PublishedObject
  {
    switch Int.random(in: 0..<5, using: &random) {
    case 0: object.with(kind: try kind(of: object))
    case 1: object.with(digest: digest(other))
    case 2: object.with(model: random.pick(["2.0", "2.2", "2.7"]))
    case 3: object.with(rawLength: random.pick([0, object.rawLength - 1, object.rawLength + 1, 1 << 39]))
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
  /// The same metadata for another object's file.
  fileprivate func with(file other: PublishedObject) -> PublishedObject {
    with(
      length: other.length, sha256: other.sha256, rawLength: other.rawLength, rawSHA256: other.rawSHA256)
  }

  func with(file content: SignedContent) -> PublishedObject {
    with(
      length: content.stored.count, sha256: content.sha256, rawLength: content.raw.length,
      rawSHA256: content.raw.sha256)
  }
}
