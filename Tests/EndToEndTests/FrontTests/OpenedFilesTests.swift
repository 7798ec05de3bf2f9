import Foundation
import Support
import Testing

/// Traces which files the front opens for arbitrary requests.
@Suite struct OpenedFilesTests {
  private static let tracer = "/usr/bin/strace"
  private static let requests = 10_000

  @Test(
    .full,
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: tracer), "strace is not installed: Scripts/deps --test"
    ))
  func `no requested path opens a file that is not published`() throws {
    let seed = Stage.seed
    let road = try DemoRoad(seed: seed, trips: 20)
    let trace = road.folder("trace")
    let server = try RunningSeedbank(
      ["serve", "--config", road.config, "--port", "0"], in: road.folder.path,
      launcher: [
        Self.tracer, "-D", "-f", "-qq", "--seccomp-bpf", "-e", "trace=open,openat,openat2", "-o", trace,
      ])
    let publication = "\(road.folder.path)/demo/publication"
    let published = try FileManager.default.subpathsOfDirectory(atPath: publication)
    let object = try #require(published.first { $0.contains(".snapshot-") })
    #expect(try RawClient(port: server.port).get("/v1").status == 200)
    let start = try String(contentsOfFile: trace, encoding: .utf8).count
    var paths = FuzzedPaths(seed: seed, names: published, secrets: Self.secrets(road))
    try ask(server.port, &paths)
    // This file must appear, or the tracer recorded nothing.
    #expect(try RawClient(port: server.port).get("/\(object)", extra: "Range: bytes=0-9\r\n").status == 206)
    #expect(server.stop() == 0)
    let opened = Self.opened(try String(contentsOfFile: trace, encoding: .utf8).dropFirst(start))
    #expect(opened.contains("\(publication)/\(object)"))
    let allowed = Set(published.map { "\(publication)/\($0)" }).union(Self.systems)
    #expect(opened.subtracting(allowed).isEmpty, "seed \(seed)")
  }

  /// Files that glibc opens: the processors when a thread allocates its first arena, and the overcommit mode when it
  /// returns memory.
  private static let systems: Set = ["/sys/devices/system/cpu/online", "/proc/sys/vm/overcommit_memory"]

  private static func secrets(_ road: DemoRoad) -> [String] {
    ["/etc/passwd", "/proc/self/environ", road.config, road.origin, road.folder("demo/keys/root.key")]
  }

  private func ask(_ port: UInt16, _ paths: inout FuzzedPaths) throws {
    var client = try RawClient(port: port)
    for _ in 0..<Self.requests {
      client.send("GET ".utf8 + paths.next() + " HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
      // Most requests are rejected, which closes the connection.
      if let answer = try? client.response(), answer["Connection"] != "close" { continue }
      client = try RawClient(port: port)
    }
  }

  /// Returns the paths between the first two quotation marks of each call.
  private static func opened(_ trace: Substring) -> Set<String> {
    Set(
      trace.split(separator: "\n").compactMap { line in
        let parts = line.split(separator: "\"", maxSplits: 2, omittingEmptySubsequences: false)
        return parts.count > 2 ? String(parts[1]) : nil
      })
  }
}

/// Paths that are almost valid: published names and secrets, with traversals, escapes, cuts and splices.
struct FuzzedPaths {
  private var random: SplitMix
  private let names: [String]
  private let secrets: [String]

  init(seed: UInt64, names: [String], secrets: [String]) {
    random = SplitMix(seed: seed)
    (self.names, self.secrets) = (names, secrets)
  }

  private static let joints = [
    "/", "//", "/./", "/../", "/..;/", "/%2e%2e/", "/%2e%2e%2f", "/..%2f", "/..%5c", "\\..\\", "/%252e%252e/",
    "/..%c0%af", "/%00/", "%00", ".", "..", "%2f", "?", "#", "/~root/", "/proc/self/root/", "/.hidden/",
  ]

  mutating func next() -> [UInt8] {
    var path = random.chance(90) ? "/" : ""
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      switch Int.random(in: 0..<5, using: &random) {
      case 0: path += random.pick(secrets).dropFirst(random.chance(50) ? 1 : 0)
      case 1: path += random.pick(["metadata", "targets", "v1/transit", "targets/transit/2"])
      case 2: path += random.pick(names)
      default: path += random.pick(Self.joints)
      }
      if random.chance(40) { path += random.pick(Self.joints) }
    }
    return mutated(Array(path.utf8))
  }

  private mutating func mutated(_ path: [UInt8]) -> [UInt8] {
    var path = path
    while random.chance(40), !path.isEmpty {
      let place = Int.random(in: path.indices, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: path[place] = UInt8.random(in: 1...255, using: &random)
      case 1: path.remove(at: place)
      case 2: path.insert(contentsOf: "%\(String(path[place], radix: 16))".utf8, at: place)
      default: path = Array(path.prefix(place))
      }
    }
    // A line break would make a second request.
    return path.filter { $0 != 0x0A && $0 != 0x0D }
  }
}
