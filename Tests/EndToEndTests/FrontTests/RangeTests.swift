import SeedFormat
import SeedFront
import SeedTrust
import Support
import Testing

/// Partial downloads of interrupted clients and download managers.
@Suite struct RangeTests {
  private static let splits = Stage.pick(quick: 5, full: 60, deep: 500)

  @Test func `the ranges of a snapshot make up the file, or the client starts over`() throws {
    let seed = Stage.seed
    let served = try ServedDeployment(seed: seed)
    try reassemble(from: served, port: served.front.port, seed)
  }

  @Test(.full) func `ranges through nginx with a cache make up the file`() throws {
    let seed = Stage.seed
    let served = try ServedDeployment(seed: seed)
    let proxy = try NginxProxy(before: served.front.port)
    try reassemble(from: served, port: proxy.plainPort, seed)
  }

  /// Runs three publish steps and a prune between two ranges of every fifth download.
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
        // Current metadata names another object.
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

  /// Returns adjacent ranges, shuffled half of the time, as parallel downloads request them.
  private static func cuts(_ length: Int, _ random: inout SplitMix) -> [Range<Int>] {
    let count = Int.random(in: 1...12, using: &random)
    let points = Set((0..<count).map { _ in Int.random(in: 1..<length, using: &random) })
    let bounds = [0] + points.sorted() + [length]
    let parts = zip(bounds, bounds.dropFirst()).map { $0..<$1 }
    return random.chance(50) ? parts.shuffled(using: &random) : parts
  }
}

private struct PartedDownload {
  let object: PublishedObject
  private var bytes: [UInt8]
  /// Whether the object has been pruned.
  private(set) var isGone = false

  init(_ object: PublishedObject) {
    self.object = object
    bytes = [UInt8](repeating: 0, count: object.length)
  }

  /// Requests a range on condition that the file is unchanged; returns false if the file is gone.
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
