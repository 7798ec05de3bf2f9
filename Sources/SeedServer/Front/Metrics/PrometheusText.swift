/// Prometheus' text exposition format, version 0.0.4.
struct PrometheusText {
  private(set) var text = ""

  static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

  enum Kind: String { case counter, gauge, histogram }

  /// Says what the samples that follow are.
  mutating func family(_ name: String, _ kind: Kind, _ help: String) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
  }

  /// One sample.
  mutating func sample(_ name: String, _ labels: [(name: String, value: String)], _ value: Double) {
    text += name
    if !labels.isEmpty {
      text += "{" + labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",") + "}"
    }
    text += " \(Self.number(value))\n"
  }

  /// A whole histogram; `counts` has one bucket more than there are bounds, and each counts only its own.
  mutating func histogram(_ name: String, _ help: String, bounds: [Double], counts: [Int], sum: Double) {
    family(name, .histogram, help)
    var total = 0
    for (bound, count) in zip(bounds.map(Self.number) + ["+Inf"], counts) {
      total += count
      sample("\(name)_bucket", [("le", bound)], Double(total))
    }
    sample("\(name)_sum", [], sum)
    sample("\(name)_count", [], Double(total))
  }

  private static func number(_ value: Double) -> String {
    Int64(exactly: value).map { "\($0)" } ?? "\(value)"
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }
}
