import Foundation
import SeedFormat
import Support

/// The samples of `/metrics`, by name with labels.
struct Scrape {
  private(set) var samples: [String: Double] = [:]
  private(set) var kinds: [String: String] = [:]

  init(_ address: String) throws {
    for line in try Tool.run(["curl", "-fsS", "\(address)/metrics"]).split(separator: "\n") {
      let words = line.split(separator: " ")
      if line.hasPrefix("# TYPE ") {
        kinds[String(words[2])] = String(words[3])
      } else if !line.hasPrefix("#"), let space = line.lastIndex(of: " ") {
        samples[String(line[..<space])] = Double(line[space...].dropFirst())
      }
    }
  }

  static let away: Scrape = {
    var scrape = Scrape()
    scrape.samples["up"] = 0
    return scrape
  }()

  private init() {}

  func isCounter(_ sample: String) -> Bool {
    let name = String(sample.prefix { $0 != "{" })
    if let kind = kinds[name] { return kind == "counter" }
    return ["_bucket", "_sum", "_count"].contains { name.hasSuffix($0) }
  }
}

/// The shipped rules, evaluated by Debian's `promtool`.
struct AlertRules {
  static let file = ShippedFile.url("Config/prometheus/alerts.yaml").path

  /// Minutes of a state, longer than any rule's `for`, and the minute of the evaluation.
  private static let (lasting, asked) = (90, 75)

  /// Throws promtool's output unless exactly these alerts fire. Gauges keep the second scrape's values, counters grow
  /// each minute by the difference of the scrapes. `now` is the front's time at the second scrape.
  static func check(_ before: Scrape, _ after: Scrape, now: Int, fire alerts: [String]) throws {
    let series = after.samples.sorted { $0.key < $1.key }.map { name, value -> JSONValue in
      let start = after.isCounter(name) ? before.samples[name] ?? 0 : value
      let step = value - start
      // promtool's clock begins at 0.
      let first = name.contains("timestamp_seconds") ? value - Double(now) : start
      return [
        "series": .string(labelled(name)), "values": .string("\(text(first))+\(text(step))x\(lasting)"),
      ]
    }
    let fired = alerts.map { alert -> JSONValue in
      ["labels": .string("{alertname=\"\(alert)\"}"), "value": 1]
    }
    let question: JSONValue = [
      "expr": "group by (alertname) (ALERTS{alertstate=\"firing\"})", "eval_time": .string("\(asked)m"),
      "exp_samples": .array(fired),
    ]
    let test: JSONValue = [
      "rule_files": [.string(file)], "evaluation_interval": "1m",
      "tests": [["interval": "1m", "input_series": .array(series), "promql_expr_test": [question]]],
    ]
    let folder = try TemporaryFolder()
    // Every JSON document is YAML.
    try folder.write(test.text, to: "test.yaml")
    try Tool.run(["promtool", "test", "rules", folder("test.yaml")])
  }

  private static func labelled(_ sample: String) -> String {
    let job = "job=\"seedbank\",instance=\"front\""
    guard let brace = sample.firstIndex(of: "{") else { return "\(sample){\(job)}" }
    return "\(sample[...brace])\(job),\(sample[brace...].dropFirst())"
  }

  private static func text(_ value: Double) -> String { String(format: "%.6f", value) }
}

/// A file of the repository that the package installs as an example.
enum ShippedFile {
  static func url(_ path: String) -> URL {
    let clone = (0..<4).reduce(URL(filePath: #filePath)) { folder, _ in folder.deletingLastPathComponent() }
    return clone.appending(path: path)
  }
}
