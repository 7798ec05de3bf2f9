import Foundation
import Support
import Testing

/// The article on monitoring: typed, and its rules held against real metrics.
@Suite(.bounded) struct MonitoringTests {
  let article: TypedArticle

  init() throws { article = try TypedArticle("Monitoring") }

  @Test func `every command answers as the article shows`() throws { try article.typeRest() }

  @Test func `the alert rules name metrics and labels that there are`() throws {
    try article.typeRest()
    let metrics = try Tool.run(["curl", "-fsS", "\(article.server)/metrics"]).split(separator: "\n")
    let rules = try article.article.file("yaml").components(separatedBy: "- alert:").dropFirst()
    #expect(rules.count == 7)
    // The first rule is about Prometheus' own metric.
    for rule in rules.dropFirst() {
      let (names, labels) = Self.named(in: rule)
      #expect(!names.isEmpty, "\(rule)")
      for name in names { #expect(metrics.contains { $0.hasPrefix("# TYPE \(name) ") }, "\(name)") }
      let samples = metrics.filter { line in names.contains { line.hasPrefix("\($0){") } }
      for label in labels { #expect(samples.contains { $0.contains("\(label)=\"") }, "\(label) in \(rule)") }
    }
  }

  /// The metrics of a rule's expression, and the labels that it asks for or shows.
  private static func named(in rule: String) -> (names: [String], labels: [String]) {
    let expression = rule.split(separator: "\n").first { $0.contains("expr:") } ?? ""
    let names = expression.matches(of: #/seedbank_[a-z_]+/#).map { String($0.output) }
    let asked = expression.matches(of: #/([a-z]+)(?:=~|!~|=)"/#).map { String($0.1) }
    let shown = rule.matches(of: #/\$labels\.([a-z]+)/#).map { String($0.1) }
    return (names, asked + shown)
  }
}
