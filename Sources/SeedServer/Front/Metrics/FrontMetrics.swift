import SeedFormat
import SeedHTTP
import SeedSystem

/// Counts what the front does, for `/metrics`.
package final class FrontMetrics: Sendable {
  /// Threads that count at the same time mostly have a stripe each.
  private final class Stripe: Sendable {
    let counts = Mutex(FrontCounts())
  }

  private static let stripes = 8
  private let stripes = (0..<FrontMetrics.stripes).map { _ in Stripe() }
  private let builds = Mutex<[BuildKey: Int]>([:])
  private let seriesNames = NameRegister(limit: 0xFFFF)
  private let agentNames = NameRegister(limit: 256)

  package init() {}

  /// Counts an exchange.
  func count(_ measurement: HTTPMeasurement) {
    let stripe = stripes[Int(truncatingIfNeeded: pthread_self() >> 12) & (Self.stripes - 1)]
    stripe.counts.withLock { $0.count(measurement) }
  }

  /// Counts a build of a dataset by its result: `published`, `unchanged`, `refused` or `failed`.
  package func countBuild(of dataset: String, result: String) {
    builds.withLock { $0[BuildKey(dataset: dataset, result: result), default: 0] += 1 }
  }

  /// A series' place in the register.
  func place(of series: Series) -> Int { seriesNames.place(of: series.description) }

  /// The label of a client library's User-Agent, `Seedbank/1.0 (transit; 2.1)`; 0 for any other.
  ///
  /// Only models that are published count apart, so that nobody can fill the register with inventions.
  func label(ofAgent agent: UnsafeBufferPointer<UInt8>, published: (String, String) -> Bool) -> Int {
    guard agent.starts(with: Self.library) else { return 0 }
    let text = String(decoding: agent, as: UTF8.self)
    guard let opening = text.firstIndex(of: "("), text.last == ")" else { return 0 }
    let parts = text[opening...].dropFirst().dropLast().split(separator: ";").map {
      String($0.drop { $0 == " " })
    }
    guard parts.count >= 2, published(parts[0], parts[1]) else { return 0 }
    return agentNames.place(of: "\(parts[0]);\(parts[1])")
  }

  private static let library = Array("Seedbank/".utf8)

  /// All counts together.
  var total: FrontCounts {
    stripes.reduce(into: FrontCounts()) { total, stripe in total.add(stripe.counts.withLock { $0 }) }
  }

  /// The page in Prometheus' text format, with gauges of what is published.
  func page(_ catalog: PublishedCatalog?, _ standing: FrontStanding, now: Int) -> [UInt8] {
    var page = MetricsPage(seriesName: seriesNames.name(at:), agentName: agentNames.name(at:))
    page.write(total)
    page.write(standing)
    page.writeBuilds(builds.withLock { $0 })
    page.writePublication(catalog, now: now)
    return page.bytes
  }
}

/// One dataset's build results of one kind.
struct BuildKey: Hashable {
  let dataset: String
  let result: String
}
