import Foundation
import SeedFormat
import SeedServer
import SeedTrust
import Support
import Testing

/// Downloads in pieces, as interrupted clients and download managers make them.
@Suite struct RangeTests {
  private static let splits = Stage.pick(quick: 15, full: 60, deep: 500)

  @Test func `however a snapshot is split, its parts make up the file, or the client starts anew`() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    let served = try ServedDeployment(seed: seed)
    try reassemble(from: served, port: served.front.port, seed)
  }

  @Test(.full) func `the same through nginx with its cache on`() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    let served = try ServedDeployment(seed: seed)
    let proxy = try NginxProxy(before: served.front.port)
    try reassemble(from: served, port: proxy.plainPort, seed)
  }

  /// In every fifth download three publish steps and a prune come between two of the parts.
  private func reassemble(from served: ServedDeployment, port: UInt16, _ seed: UInt64) throws {
    var random = SplitMix(seed: seed &+ 1)
    var restarts = 0
    for number in 0..<Self.splits {
      let object = try served.newestSnapshot()
      let cuts = Self.cuts(object.length, &random)
      let client = try RawClient(port: port)
      let interruption = number % 5 == 4 ? Int.random(in: 0..<cuts.count, using: &random) : nil
      var download = PartedDownload(object)
      for (index, part) in cuts.enumerated() {
        if index == interruption { try publishAndPrune(served) }
        guard try download.take(part, by: client) else { break }
      }
      if download.isGone {
        // What metadata says now leads on, and that is another object.
        restarts += 1
        let next = try served.newestSnapshot()
        #expect(next != object, "seed \(seed)")
        download = PartedDownload(next)
        _ = try download.take(0..<next.length, by: client)
      }
      #expect(download.isWhole, "seed \(seed), download \(number)")
    }
    #expect(restarts <= Self.splits / 5, "only what was pruned may be gone: seed \(seed)")
  }

  private func publishAndPrune(_ served: ServedDeployment) throws {
    for _ in 0..<3 { try served.publish(snapshot: true) }
    served.letGracePass()
    try served.publish()
  }

  /// Parts that lie end to end, in random order half of the time, as parallel downloads ask for them.
  private static func cuts(_ length: Int, _ random: inout SplitMix) -> [Range<Int>] {
    let count = Int.random(in: 1...12, using: &random)
    let points = Set((0..<count).map { _ in Int.random(in: 1..<length, using: &random) })
    let bounds = [0] + points.sorted() + [length]
    let parts = zip(bounds, bounds.dropFirst()).map { $0..<$1 }
    return random.chance(50) ? parts.shuffled(using: &random) : parts
  }
}

/// A file that is put together of ranges.
private struct PartedDownload {
  let object: PublishedObject
  private var bytes: [UInt8]
  /// Whether the object was no longer there.
  private(set) var isGone = false

  init(_ object: PublishedObject) {
    self.object = object
    bytes = [UInt8](repeating: 0, count: object.length)
  }

  /// Asks for a part under the condition that the file is still the same; false if it is gone.
  mutating func take(_ part: Range<Int>, by client: RawClient) throws -> Bool {
    let fields =
      "Range: bytes=\(part.lowerBound)-\(part.upperBound - 1)\r\nIf-Range: \"\(object.sha256.hex)\"\r\n"
    let response = try client.get("/\(object.filePath)", extra: fields)
    guard response.status != 404 else {
      isGone = true
      return false
    }
    #expect(response.status == 206)
    let expected = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(object.length)"
    #expect(response["Content-Range"] == expected)
    #expect(response.body.count == part.count)
    if response.body.count == part.count { bytes.replaceSubrange(part, with: response.body) }
    return true
  }

  var isWhole: Bool { SHA256Digest.of(bytes) == object.sha256 }
}
