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

  private func read(_ stored: [UInt8], _ expected: Compression.Measure) throws -> [UInt8] {
    try DurableFile.write(stored, to: folder("stored"))
    return try read(.gzip, expected)
  }

  private func read(_ encoding: ContentEncoding, _ expected: Compression.Measure) throws -> [UInt8] {
    let source = try Compression.pieces(
      of: folder("stored"), encoding, limit: expected.length, expected: expected)
    var read: [UInt8] = []
    while try source({ read += Array($0) }) {}
    return read
  }

  @Test(arguments: [0, 1, 1000, 300_000])
  func `the pieces make up the document`(_ bytes: Int) throws {
    let document = Self.document(bytes)
    #expect(try read(try Compression.gzip(document), Compression.Measure(of: document)) == document)
  }

  @Test func `the pieces of an xz file make up the document`() throws {
    let document = Self.document(300_000)
    try DurableFile.write(document, to: folder("raw"))
    let expected = try Compression.compress(folder("raw"), to: folder("stored"), .xz).raw
    #expect(try read(.xz, expected) == document)
  }

  @Test
  func `content that differs from the announced measure is an error after the last piece at the latest`()
    throws
  {
    let (document, other) = (Self.document(100_000), Self.document(100_001))
    let stored = try Compression.gzip(document)
    #expect(throws: CompressionError.otherContent) { try read(stored, Compression.Measure(of: other)) }
    #expect(throws: CompressionError.tooLong(limit: 99_999)) {
      try read(stored, Compression.Measure(of: Array(document.dropLast())))
    }
    #expect(throws: CompressionError.truncated) {
      try read(Array(stored.dropLast(100)), Compression.Measure(of: document))
    }
  }
}
