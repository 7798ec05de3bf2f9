import Foundation
import Support
import Testing

/// The article on monitoring, compared with real metrics and the shipped rules.
@Suite struct MonitoringTests {
  @Test
  func `the article runs as written, and its tables name every shipped alert and only existing metrics`()
    throws
  {
    let article = try TypedArticle("Monitoring")
    try article.typeRest()
    try article.type("seedbank verify")
    let page = try eventually("the front has read the verification") {
      let page = try Tool.run(["curl", "-fsS", "\(article.server)/metrics"])
      return page.contains("seedbank_verify_failed") ? page : nil
    }
    let rules = try String(contentsOfFile: AlertRules.file, encoding: .utf8)
    let alerts = rules.matches(of: #/- alert: (\w+)/#).map { String($0.1) }
    let rows = article.article.text.split(separator: "\n").filter { $0.hasPrefix("| `") }
    let named = rows.flatMap {
      $0.split(separator: "|")[0].matches(of: #/`([A-Za-z_]+)`/#).map { String($0.1) }
    }
    #expect(named.filter { $0.hasPrefix("Seedbank") } == alerts)
    for name in named where name.hasPrefix("seedbank_") {
      #expect(page.contains("# TYPE \(name) "), "\(name)")
    }
    let told = page.matches(of: #/# TYPE (seedbank_\w+) /#).map { String($0.1) }
    for name in told { #expect(named.contains(name), "\(name) is not in the article") }
  }
}
