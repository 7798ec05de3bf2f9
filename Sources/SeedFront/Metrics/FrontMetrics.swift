import SeedFormat
import SeedHTTP
import SeedPublication
import SeedSystem
import SeedTrust

package final class FrontMetrics: Sendable {
  /// Reduces contention: concurrent threads usually use different stripes.
  private final class Stripe: Sendable { let counts = Mutex(FrontCounts()) }

  private static let stripes = 8
  private let stripes = (0..<FrontMetrics.stripes).map { _ in Stripe() }
  private let start = Double(UTCTime.now().secondsSinceEpoch)
  private let server = Mutex<@Sendable () -> HTTPLoad>({ HTTPLoad() })
  let agentNames = NameRegister(limit: 256)
  let lookRate = Mutex(LookRate())
  let hidesLooks = Mutex(false)

  package init() {}

  var load: HTTPLoad { server.withLock(\.self)() }

  /// Called late, because the server needs the router, which needs the metrics.
  func watch(_ load: @escaping @Sendable () -> HTTPLoad, behindProxies isProxied: Bool) {
    server.withLock { $0 = load }
    hidesLooks.withLock { $0 = isProxied }
  }

  func count(_ measurement: HTTPMeasurement) {
    let stripe = stripes[Int(truncatingIfNeeded: pthread_self() >> 12) & (Self.stripes - 1)]
    stripe.counts.withLock { $0.count(measurement) }
  }

  /// Returns the label for a client library's User-Agent, `Seedbank/1.0 (transit; 2.1)`, or 0 for any other. Counts
  /// only published models, so invented names cannot fill the register.
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

  func clientCounts(since began: UTCTime) -> ClientCounts {
    ClientCounts(requests: clientRequests, since: began, hidesLooks: hidesLooks.withLock(\.self))
  }

  private var clientRequests: [ClientCounts.Requests] {
    let rates = looksPerSecond
    return total.clients.compactMap { label, count in
      ClientModel(label: agentNames.name(at: label)).map {
        ClientCounts.Requests(client: $0, count: count, looksPerSecond: rates[$0])
      }
    }
  }

  static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

  func page(_ view: CatalogView, now: Int) -> [UInt8] {
    var page = MetricsPage(agentName: agentNames.name(at:))
    page.write(total)
    page.write(load)
    page.writeProcess(start: start)
    page.writePublication(view)
    page.writeSignatures(view)
    page.writeFacts(view, now: now)
    page.writeVerification(view)
    page.writeCrowd(looksPerSecond, view)
    if let follow = view.follow?.current { page.writeFollow(follow) }
    return page.bytes
  }
}

/// Numbers names from 1. All names beyond the limit get 0.
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
