import SeedFormat
import SeedHTTP
import SeedPublication
import SeedSigning
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedFront

@Suite struct SignatureExpiryTests {
  let view: CatalogView

  init() throws { view = CatalogView(try FrontPublication.usualCatalog.get()) }

  /// `/readyz` this long after everything was signed.
  private func ready(after days: Int, _ seconds: Int = 0) -> HTTPResponse {
    let now = FrontPublication.start.adding(days: days).adding(seconds: seconds)
    return Router(now: { now }).answer(HTTPRequest(.get, "/readyz"), in: view)
  }

  private func states(_ answer: HTTPResponse) -> [String: String] {
    let signatures = answer.json?["signatures"]?.elements ?? []
    let pairs = signatures.compactMap { one -> (String, String)? in
      guard let role = one["role"]?.string, let state = one["state"]?.string else { return nil }
      return (role, state)
    }
    return Dictionary(uniqueKeysWithValues: pairs)
  }

  private func warnings(_ answer: HTTPResponse) -> [String] {
    (answer.json?["warnings"]?.elements ?? []).compactMap(\.string)
  }

  @Test func `fresh signatures are reported with their expiry and without a warning`() {
    let answer = ready(after: 0)
    #expect(
      states(answer) == [
        "root": "valid", "targets": "valid", "snapshot": "valid", "timestamp": "valid", "transit-2": "valid",
      ])
    #expect(warnings(answer).isEmpty)
    let root = answer.json?["signatures"]?.elements?.first
    #expect(root?["role"] == "root")
    #expect(root?["expires"]?.string == FrontPublication.start.adding(days: RepositorySigner.rootDays).text)
  }

  @Test func `a front whose publisher stopped stays ready and reports expired signatures`() {
    let end = FrontPublication.start.adding(days: 7)
    #expect(warnings(ready(after: 7, -1)).isEmpty)
    let answer = ready(after: 7)
    #expect(answer.status == 200 && answer.json?["ready"] == true)
    #expect(
      warnings(answer) == [
        "The signatures of timestamp, snapshot, transit-2 expired, the first of them on \(end): clients reject the publication"
      ])
  }

  /// A front that knows the lifetime of signatures detects a missing renewal.
  @Test(arguments: [(3600, 2401), (7 * 86_400, 403_201)])
  func `a signature without renewal is reported in its last third`(lifetime: Int, seconds: Int) {
    var facts = SeriesFacts.example(of: FrontPublication.transit)
    facts.lifetimeSeconds = lifetime
    var view = self.view
    view.facts = [FrontPublication.transit: facts]
    let end = FrontPublication.start.adding(days: 7).adding(seconds: -lifetime)
    func answer(_ seconds: Int) -> HTTPResponse {
      Router(now: { end.adding(seconds: seconds) }).answer(HTTPRequest(.get, "/readyz"), in: view)
    }
    #expect(states(answer(seconds - 1))["timestamp"] == "valid")
    let late = answer(seconds)
    #expect(states(late)["timestamp"] == "notRenewed" && states(late)["root"] == "valid")
    #expect(
      warnings(late).count == 1 && warnings(late)[0].contains("no process renews them. Start 'seedbank run'"))
  }

  @Test(arguments: [
    ("targets", RepositorySigner.targetsDays), ("root", RepositorySigner.rootDays),
  ])
  func `the expiry of an offline role is reported sixty days ahead`(role: String, days: Int) {
    let end = FrontPublication.start.adding(days: days)
    let day = days - SignatureExpiry.warningDays
    #expect(states(ready(after: day, -1))[role] == "valid")
    let answer = ready(after: day)
    #expect(states(answer)[role] == "expiring")
    #expect(
      warnings(answer).contains(
        "The signatures of \(role) expire on \(end): clients then reject the publication"
      ))
    #expect(states(ready(after: days, -1))[role] == "expiring")
    #expect(states(ready(after: days))[role] == "expired")
  }
}
