import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust
import Support

/// A publication with the changes that the fuzzer's bytes name: one byte of flags, then edits.
struct Forgery {
  /// Signed objects with their stored bytes.
  struct Signed {
    let epoch: Epoch
    let snapshot, delta: (object: PublishedObject, stored: [UInt8])
    let provesRows: Bool
  }

  private enum Flag {
    static let signsSchema: UInt8 = 1
    static let signsDigest: UInt8 = 2
    static let leavesRowsUnproven: UInt8 = 4
  }

  private let publication: FuzzedPublication
  private let flags: UInt8
  private var input: ArraySlice<UInt8>
  private var file, document: [UInt8]
  private var texts: [(position: Int64, column: String, text: String)] = []
  private var storedEdits: [(isDelta: Bool, place: Int, byte: UInt8)] = []

  private static let scratch = scratchFolder("forged.sqlite")
  private static let columns = ["name", "table", "sql", "statistics"]

  init(of publication: FuzzedPublication, _ input: [UInt8]) {
    self.publication = publication
    flags = input.first ?? 0
    self.input = input.dropFirst()
    (file, document) = (publication.file, publication.document)
  }

  mutating func run() -> Signed {
    while !input.isEmpty { edit() }
    var (schema, digest) = (publication.snapshot.schema, publication.snapshot.digest)
    try? claim(&schema, &digest)
    return Signed(
      epoch: publication.epoch,
      snapshot: sign(publication.snapshot, file, schema, digest, isDelta: false),
      delta: sign(publication.delta, document, schema, publication.delta.digest, isDelta: true),
      provesRows: flags & Flag.leavesRowsUnproven == 0)
  }

  // MARK: Edits

  private mutating func next() -> UInt8 { input.popFirst() ?? 0 }

  /// An edit has a kind, a place and a byte, or a text.
  private mutating func edit() {
    let (kind, high, low, byte) = (next(), Int(next()), Int(next()), next())
    let place = high << 8 | low
    switch kind % 4 {
    case 0: file[place % file.count] ^= byte
    case 1: changeDocument(at: place, to: byte, kind / 4)
    case 2:
      let text = String(decoding: input.prefix(Int(byte)), as: UTF8.self)
      input = input.dropFirst(Int(byte))
      texts.append((Int64(1 + high % 2), Self.columns[low % Self.columns.count], text))
    default: storedEdits.append((kind & 4 != 0, place, byte))
    }
  }

  private mutating func changeDocument(at place: Int, to byte: UInt8, _ way: UInt8) {
    guard !document.isEmpty else { return }
    let place = place % document.count
    switch way % 3 {
    case 0: document[place] = byte
    case 1: document.insert(byte, at: place)
    default: document.remove(at: place)
    }
  }

  // MARK: Claims

  /// Writes the index texts into the file. If the flags ask for it, takes over the schema and the digest that it claims.
  private mutating func claim(_ schema: inout SHA256Digest, _ digest: inout SHA256Digest) throws {
    guard !texts.isEmpty || flags & (Flag.signsSchema | Flag.signsDigest) != 0 else { return }
    for suffix in ["", "-journal", "-shm", "-wal"] { try Folder.remove(Self.scratch + suffix) }
    try DurableFile.write(file, to: Self.scratch)
    do {
      let connection = try Connection(Self.scratch, .creator)
      for (position, column, text) in texts {
        try connection.execute(
          "UPDATE seedbank_index SET \(quoted(column)) = ? WHERE position = ?", .text(text),
          .integer(position))
      }
      if flags & Flag.signsSchema != 0 {
        let old = schema
        schema = try SchemaReader(connection).schema().hash
        document.replace(Array(old.hex.utf8), with: Array(schema.hex.utf8))
        try connection.execute("UPDATE seedbank_meta SET value = ? WHERE key = 'schema'", .text(schema.hex))
      }
      if flags & Flag.signsDigest != 0 { digest = try SeedTables.meta(connection).digest }
    }
    file = try DurableFile.read(Self.scratch, limit: 1 << 20)
  }

  private func sign(
    _ object: PublishedObject, _ raw: [UInt8], _ schema: SHA256Digest, _ digest: SHA256Digest, isDelta: Bool
  ) -> (object: PublishedObject, stored: [UInt8]) {
    guard var stored = try? Compression.gzip(raw) else { preconditionFailure("cannot compress") }
    for edit in storedEdits where edit.isDelta == isDelta { stored[edit.place % stored.count] ^= edit.byte }
    let signed = PublishedObject(
      series: object.series, kind: object.kind, length: stored.count, sha256: .of(stored),
      model: object.model, rawLength: raw.count, rawSHA256: isDelta ? nil : .of(raw), schema: schema,
      digest: digest)
    return (signed, stored)
  }
}
