import SeedFormat
import SeedHTTP
import SeedSystem
import SeedTrust

/// The front's counters, for `/metrics`.
package final class FrontMetrics: Sendable {
  /// Threads that count at the same time mostly have a stripe each.
  private final class Stripe: Sendable { let counts = Mutex(FrontCounts()) }

  private static let stripes = 8
  private let stripes = (0..<FrontMetrics.stripes).map { _ in Stripe() }
  private let start = ProcessUse()?.start
  private let server = Mutex<@Sendable () -> HTTPLoad>({ HTTPLoad() })
  private let seriesNames = NameRegister(limit: 0xFFFF)
  private let agentNames = NameRegister(limit: 256)

  package init() {}

  var load: HTTPLoad { server.withLock(\.self)() }

  /// The metrics exist before the server, which calls their router.
  func watch(_ load: @escaping @Sendable () -> HTTPLoad) { server.withLock { $0 = load } }

  func count(_ measurement: HTTPMeasurement) {
    let stripe = stripes[Int(truncatingIfNeeded: pthread_self() >> 12) & (Self.stripes - 1)]
    stripe.counts.withLock { $0.count(measurement) }
  }

  func place(of series: Series) -> Int { seriesNames.place(of: series.description) }

  /// The label of a client library's User-Agent, `Seedbank/1.0 (transit; 2.1)`; 0 for any other. Only published
  /// models count, so that nobody can fill the register with invented names.
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

  var total: FrontCounts {
    stripes.reduce(into: FrontCounts()) { total, stripe in total.add(stripe.counts.withLock { $0 }) }
  }

  /// The client library's requests, by model.
  var clientRequests: [ClientCounts.Requests] {
    total.clients.compactMap { label, count in
      let parts = agentNames.name(at: label).split(separator: ";").map(String.init)
      return parts.count == 2 ? ClientCounts.Requests(dataset: parts[0], model: parts[1], count: count) : nil
    }
  }

  static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

  func page(_ view: CatalogView, now: Int) -> [UInt8] {
    var page = MetricsPage(seriesName: seriesNames.name(at:), agentName: agentNames.name(at:))
    page.write(total)
    page.write(load)
    page.writeProcess(start: start)
    page.writePublication(view, now: now)
    page.writeSignatures(view)
    page.writeFacts(view)
    return page.bytes
  }
}

/// Numbers names from 1; 0 stands for every name beyond the limit.
final class NameRegister: Sendable {
  private struct State {
    var places: [String: Int] = [:]
    var names: [String] = []
  }

  private let state = Mutex(State())
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  func place(of name: String) -> Int {
    state.withLock { state in
      if let known = state.places[name] { return known }
      guard state.names.count < limit else { return 0 }
      state.names.append(name)
      state.places[name] = state.names.count
      return state.names.count
    }
  }

  func name(at place: Int) -> String {
    state.withLock { $0.names.indices.contains(place - 1) ? $0.names[place - 1] : "" }
  }
}
