/// Prometheus' text exposition format, version 0.0.4.
struct PrometheusText {
  private(set) var text = ""

  enum Kind: String { case counter, gauge, histogram }

  typealias Sample = (labels: [(name: String, value: String)], value: Double)

  mutating func family(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample] = []) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    for sample in samples { add(name, sample.labels, sample.value) }
  }

  private mutating func add(_ name: String, _ labels: [(name: String, value: String)], _ value: Double) {
    text += name
    if !labels.isEmpty {
      text += "{" + labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",") + "}"
    }
    text += " \(Self.number(value))\n"
  }

  /// Writes a histogram from non-cumulative counts, with one more bucket than bounds.
  mutating func histogram(_ name: String, _ help: String, bounds: [Double], counts: [Int], sum: Double) {
    family(name, .histogram, help)
    var total = 0
    for (bound, count) in zip(bounds.map(Self.number) + ["+Inf"], counts) {
      total += count
      add("\(name)_bucket", [("le", bound)], Double(total))
    }
    add("\(name)_sum", [], sum)
    add("\(name)_count", [], Double(total))
  }

  private static func number(_ value: Double) -> String {
    Int64(exactly: value).map { "\($0)" } ?? "\(value)"
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }
}
