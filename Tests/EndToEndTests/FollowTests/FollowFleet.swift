import Foundation
import SeedFormat
import SeedFront
import Support

/// A publisher, three followers that may be killed, and nginx in front of them.
final class FollowFleet {
  let origin: ServedDeployment
  let seed: UInt64
  private(set) var kills = 0
  private let folder: TemporaryFolder
  private let ports: [UInt16]
  private let proxy: NginxProxy
  private var followers: [RunningSeedbank?]
  private var random: SplitMix
  private var told = ""

  private static let count = 3

  init(seed: UInt64) throws {
    (self.seed, random) = (seed, SplitMix(seed: seed))
    origin = try ServedDeployment(seed: seed)
    folder = try TemporaryFolder(inMemory: true)
    ports = try (0..<Self.count).map { _ in try freePort() }
    followers = Array(repeating: nil, count: Self.count)
    proxy = try NginxProxy(before: ports)
    try Data(origin.root).write(to: URL(fileURLWithPath: folder("root.json")))
    try startAll()
  }

  var port: UInt16 { proxy.plainPort }

  func startAll() throws { for number in 0..<Self.count where followers[number] == nil { try start(number) } }

  private func start(_ number: Int) throws {
    followers[number] = try RunningSeedbank(
      [
        "follow", "http://127.0.0.1:\(origin.front.port)", "--root", "root.json", "--to", "copy-\(number)",
        "--every", "1", "--serve", "--port", "\(ports[number])",
      ], in: folder.path)
  }

  /// Picks a follower at random: starts it if it is down, or kills it one time in three.
  func disturb() throws {
    let number = Int.random(in: 0..<Self.count, using: &random)
    guard let follower = followers[number] else { return try start(number) }
    guard Int.random(in: 0..<3, using: &random) == 0 else { return }
    kill(follower.identifier, SIGKILL)
    _ = follower.waitForEnd()
    told += follower.errors
    followers[number] = nil
    kills += 1
  }

  var errorsOfFollowers: [String] {
    let all = told + followers.compactMap { $0?.errors }.joined()
    return all.split(separator: "\n").filter { $0.contains("level=error") }.map(String.init)
  }
}

/// A client of the plain interface: one snapshot, then changes.
struct PlainFollower {
  private let port: UInt16
  private(set) var version = 0
  private(set) var snapshots = 0
  /// The number of 5xx answers and of missing snapshots.
  private(set) var waits = 0
  private var epoch = ""

  init(port: UInt16) { self.port = port }

  struct Gap: Error { let what: String }

  mutating func look() throws {
    let client = try RawClient(port: port)
    if version == 0 { return try begin(client) }
    let answer = try client.get("/v1/test/changes?model=1.0&since=\(version)&epoch=\(epoch)")
    switch answer.status {
    case 200: try take(JSONValue(parsing: answer.body))
    case 410: version = 0
    case 500...599: waits += 1
    default: throw Gap(what: "status \(answer.status)")
    }
  }

  private mutating func begin(_ client: RawClient) throws {
    let answer = try client.get("/v1/test/snapshot?model=1.0")
    guard answer.status == 307, let found = answer["Seedbank-Version"].flatMap({ Int($0) }),
      let name = answer["Seedbank-Epoch"]
    else {
      waits += 1
      return
    }
    (version, epoch) = (found, name)
    snapshots += 1
  }

  private mutating func take(_ page: JSONValue) throws {
    for delta in page["deltas"]?.elements ?? [] {
      guard let from = delta["from"]?.integer, let to = delta["to"]?.integer, from <= Int64(version),
        to > Int64(version)
      else { throw Gap(what: "after version \(version)") }
      version = Int(to)
    }
  }
}
