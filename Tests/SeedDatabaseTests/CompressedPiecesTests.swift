import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust
import Support
import Testing

@Suite struct CompressedPiecesTests {
  private let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder(inMemory: true) }

  private static func document(_ bytes: Int) -> [UInt8] {
    var random = SplitMix(seed: 3)
    return (0..<bytes).map { _ in UInt8(truncatingIfNeeded: random.next() & 31) }
  }

  private func read(_ stored: [UInt8], limit: Int) throws -> [UInt8] {
    try DurableFile.write(stored, to: folder("stored"))
    return try read(.gzip, limit: limit)
  }

  private func read(_ encoding: ContentEncoding, limit: Int) throws -> [UInt8] {
    let source = try Compression.pieces(of: folder("stored"), encoding, limit: limit)
    var read: [UInt8] = []
    while try source({ read += Array($0) }) {}
    return read
  }

  @Test(arguments: [0, 1, 1000, 300_000])
  func `the pieces make up the document`(_ bytes: Int) throws {
    let document = Self.document(bytes)
    #expect(try read(try Compression.gzip(document), limit: bytes) == document)
  }

  @Test func `the pieces of an xz file make up the document`() throws {
    let document = Self.document(300_000)
    try DurableFile.write(document, to: folder("raw"))
    _ = try Compression.compress(folder("raw"), to: folder("stored"), .xz)
    #expect(try read(.xz, limit: 300_000) == document)
  }

  @Test func `a document above the limit, or that ends early, is an error`() throws {
    let stored = try Compression.gzip(Self.document(100_000))
    #expect(throws: CompressionError.tooLong(limit: 99_999)) { try read(stored, limit: 99_999) }
    #expect(throws: CompressionError.truncated) { try read(Array(stored.dropLast(100)), limit: 100_000) }
  }
}
