import Foundation
import SeedDatabase
import SeedSystem
import SeedTrust
import Support
import Testing

@Suite struct ParallelGzipTests {
  private static let block = 1024 * 1024

  /// Pages with repeated words, so that matches cross block boundaries.
  private static func content(_ count: Int, seed: UInt64) -> [UInt8] {
    var random = SplitMix(seed: seed)
    let words = (0..<50).map { _ in
      (0..<Int.random(in: 3...40, using: &random)).map { _ in UInt8(random.next() & 0x7F) }
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 64)
    while bytes.count < count { bytes += words[Int.random(in: 0..<words.count, using: &random)] }
    return Array(bytes.prefix(count))
  }

  @Test(arguments: [0, 1, block - 1, block, block + 1, 2 * block + 12_345])
  func `the number of compression threads does not affect the bytes`(count: Int) throws {
    let folder = try TemporaryFolder(inMemory: true)
    let content = Self.content(count, seed: UInt64(count))
    try Data(content).write(to: URL(fileURLWithPath: folder("raw")))
    var files: Set<Data> = []
    for threads in [1, 2, 5] {
      let (raw, stored) = try Compression.compress(
        folder("raw"), to: folder("stored"), .gzip, threads: threads)
      let bytes = try Data(contentsOf: URL(fileURLWithPath: folder("stored")))
      #expect(raw == .init(of: content) && stored == .init(of: Array(bytes)))
      files.insert(bytes)
    }
    #expect(files.count == 1)
    #expect(try Compression.gunzip(Array(files.first ?? Data()), limit: count) == content)
  }

  @Test func `the end of a spliceable member can be cut off`() throws {
    let bytes = try Compression.gzip(Self.content(Self.block + 7, seed: 1))
    // A full flush's empty stored block, the final empty block, checksum and length.
    #expect(Array(bytes.suffix(14).prefix(6)) == [0, 0, 0xFF, 0xFF, 3, 0])
  }

  @Test func `a file that cannot be written is an error`() throws {
    let folder = try TemporaryFolder(inMemory: true)
    try Data(Self.content(3 * Self.block, seed: 2)).write(to: URL(fileURLWithPath: folder("raw")))
    #expect(throws: FileError.self) {
      try Compression.compress(folder("raw"), to: "/dev/full", .gzip)
    }
  }
}
