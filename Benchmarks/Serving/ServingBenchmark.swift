import Foundation

// Benchmarks of the front, with the real binary.
//
// - nginx serves the same bytes with the same headers from open files; neither writes an access log.
// - wrk, and for downloads also a cheaper client, loads both alternately for the same time; ratios are medians over
//   the pairs.
// - Client, front and nginx share the cores, so only ratios are meaningful. The ratio of the servers' processor time for a
//   request depends less on how the scheduler places the client.

struct ServingBenchmark {
  private let options: ServingOptions

  init(_ options: ServingOptions) { self.options = options }

  func run() throws { try inFolder(run) }

  private func run(_ folder: String) throws {
    let scene = try ServingScene(folder: folder)
    for load in try scene.loads() where options.only == nil || options.only == load.name {
      try measure(load, scene)
    }
    if options.only == nil || options.only == "idle" { try measureIdle(scene) }
  }

  private func measure(_ load: Load, _ scene: ServingScene) throws {
    var ours: [LoadResult] = []
    var theirs: [LoadResult] = []
    let before = scene.processorSeconds
    for _ in 0..<options.runs {
      ours.append(try Load.ask(scene.front, load.path, load, seconds: options.seconds))
      theirs.append(try Load.ask(scene.nginx, load.baselinePath, load, seconds: options.seconds))
    }
    let used = scene.processorSeconds
    func microseconds(_ seconds: Double, _ results: [LoadResult]) -> Double {
      seconds * 1e6 / (results.map(\.requestsPerSecond).reduce(0, +) * Double(options.seconds))
    }
    let processor = (
      ours: microseconds(used.front - before.front, ours),
      nginx: microseconds(used.nginx - before.nginx, theirs)
    )
    let ratio = median(zip(ours, theirs).map { $0.requestsPerSecond / $1.requestsPerSecond })
    let line = ServingLine(
      what: load.name, connections: load.connections,
      requestsPerSecond: median(ours.map(\.requestsPerSecond)),
      baselineRequestsPerSecond: median(theirs.map(\.requestsPerSecond)), ratio: ratio,
      microseconds: processor.ours, baselineMicroseconds: processor.nginx,
      median: median(ours.map(\.median)), p99: median(ours.map(\.p99)),
      baselineMedian: median(theirs.map(\.median)), baselineP99: median(theirs.map(\.p99)), bar: load.bar,
      processorBar: load.processorBar,
      holds: ratio >= load.bar && processor.ours <= load.processorBar * processor.nginx)
    line.print(asJSON: options.isJSON)
  }

  private func measureIdle(_ scene: ServingScene) throws {
    let before = try scene.residentBytes()
    let idle = try IdleConnections(count: IdleConnections.usual, to: scene.front)
    let bytes = try scene.residentBytes()
    let milliseconds = try median((0..<options.runs).map { _ in try idle.probe() })
    idle.end()
    let after = try keptBytes(scene, atMost: before + IdleConnections.mostKeptBytes * IdleConnections.usual)
    let perConnection = (bytes - before) / IdleConnections.usual
    IdleLine(
      connections: IdleConnections.usual, startBytes: before, residentBytes: bytes, closedBytes: after.bytes,
      bytesPerConnection: perConnection, probeMilliseconds: milliseconds,
      holds: perConnection <= IdleConnections.mostBytes && after.holds
        && milliseconds <= IdleConnections.mostMilliseconds
    ).print(asJSON: options.isJSON)
  }

  /// Waits until the front has returned memory; it does so every ten seconds.
  private func keptBytes(_ scene: ServingScene, atMost limit: Int) throws -> (bytes: Int, holds: Bool) {
    for _ in 0..<Self.memoryChecks {
      let bytes = try scene.residentBytes()
      if bytes <= limit { return (bytes, true) }
      usleep(100_000)
    }
    return (try scene.residentBytes(), false)
  }

  private static let memoryChecks = 150
}

struct ServingOptions {
  private(set) var isJSON = false
  private(set) var only: String?
  private(set) var runs = 5
  private(set) var seconds = 4

  init(_ arguments: some Sequence<String>) throws {
    var rest = Array(arguments)[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--json": isJSON = true
      case "--only": only = rest.popFirst()
      case "--runs": runs = max(1, rest.popFirst().flatMap(Int.init) ?? runs)
      case "--seconds": seconds = max(1, rest.popFirst().flatMap(Int.init) ?? seconds)
      default: throw BenchmarkError.usage("unknown option \(argument)")
      }
    }
  }
}

struct ServingLine: Encodable {
  let what: String
  let connections: Int
  let requestsPerSecond, baselineRequestsPerSecond, ratio: Double
  /// The server's processor time for a request.
  let microseconds, baselineMicroseconds: Double
  let median, p99, baselineMedian, baselineP99: String
  let bar, processorBar: Double
  let holds: Bool

  func print(asJSON: Bool) {
    if asJSON { return Swift.print(json(self)) }
    let rates = String(
      format: "%9.0f/s : %9.0f/s = %.2f", requestsPerSecond, baselineRequestsPerSecond, ratio)
    let processor = String(
      format: "  CPU %.1f us : %.1f us = %.2f", microseconds, baselineMicroseconds,
      microseconds / baselineMicroseconds)
    let times = "p50 \(median) : \(baselineMedian)   p99 \(p99) : \(baselineP99)"
    Swift.print(
      "\(what), \(connections) connections:".padding(toLength: 36, withPad: " ", startingAt: 0), rates,
      processor,
      "  \(times)   bars \(bar), CPU \(processorBar)", holds ? "" : "  MISSED")
  }
}

struct IdleLine: Encodable {
  let connections, startBytes, residentBytes, closedBytes, bytesPerConnection: Int
  let probeMilliseconds: Double
  let holds: Bool

  func print(asJSON: Bool) {
    if asJSON { return Swift.print(json(self)) }
    Swift.print(
      String(
        format:
          "idle, %d connections: %.1f MiB (%.1f before, %.1f after), %d bytes each, a new request in %.1f ms   "
          + "bar 8192 bytes, 50 ms %@",
        connections, Double(residentBytes) / 1_048_576, Double(startBytes) / 1_048_576,
        Double(closedBytes) / 1_048_576, bytesPerConnection, probeMilliseconds, holds ? "" : "  OVER"))
  }
}

/// The median of texts, ordered by their leading numbers.
func median(_ texts: [String]) -> String {
  let sorted = texts.sorted { Load.milliseconds($0) < Load.milliseconds($1) }
  return sorted.isEmpty ? "" : sorted[sorted.count / 2]
}
