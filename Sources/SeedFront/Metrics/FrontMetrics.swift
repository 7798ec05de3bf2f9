import SeedFormat
import SeedHTTP
import SeedPublication
import SeedSystem
import SeedTrust

package final class FrontMetrics: Sendable {
  private let counts = Mutex(FrontCounts())
  private let start = Double(UTCTime.now().secondsSinceEpoch)
  private let server = Mutex<@Sendable () -> HTTPLoad>({ HTTPLoad() })
  let lookRate = Mutex(LookRate<ClientModel>())
  let hidesLooks = Mutex(false)

  package init() {}

  var load: HTTPLoad { server.withLock(\.self)() }

  /// Called late, because the server needs the router, which needs the metrics.
  func watch(_ load: @escaping @Sendable () -> HTTPLoad, behindProxies isProxied: Bool) {
    server.withLock { $0 = load }
    hidesLooks.withLock { $0 = isProxied }
  }

  func count(_ measurement: HTTPMeasurement) { counts.withLock { $0.count(measurement) } }

  /// Returns the model in a client library's User-Agent, `Seedbank/1.0 (transit; 2.1)`. Counts only published models,
  /// so invented names cannot fill the memory.
  static func client(
    _ agent: UnsafeBufferPointer<UInt8>, published: (_ dataset: String, _ model: String) -> Bool
  ) -> ClientModel? {
    guard agent.starts(with: library) else { return nil }
    let text = String(decoding: agent, as: UTF8.self)
    guard let opening = text.firstIndex(of: "("), text.last == ")" else { return nil }
    let parts = text[opening...].dropFirst().dropLast().split(separator: ";").map {
      String($0.drop { $0 == " " })
    }
    guard parts.count >= 2 else { return nil }
    return published(parts[0], parts[1]) ? ClientModel(dataset: parts[0], model: parts[1]) : nil
  }

  private static let library = Array("Seedbank/".utf8)

  var total: FrontCounts { counts.withLock(\.self) }

  func clientCounts(since began: UTCTime) -> ClientCounts {
    ClientCounts(requests: clientRequests, since: began, hidesLooks: hidesLooks.withLock(\.self))
  }

  private var clientRequests: [ClientCounts.Requests] {
    let rates = looksPerSecond
    return total.clients.map {
      ClientCounts.Requests(client: $0, count: $1, looksPerSecond: rates[$0])
    }
  }

  static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

  func page(_ view: CatalogView) -> [UInt8] {
    var page = MetricsPage()
    page.write(total)
    page.write(load)
    page.writeProcess(start: start)
    page.writePublication(view)
    page.writeSignatures(view)
    page.writeFacts(view)
    page.writeVerification(view)
    page.writeCrowd(looksPerSecond, view)
    if let follow = view.follow?.current { page.writeFollow(follow) }
    return page.bytes
  }
}
