import SeedDatabase
import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust

extension PageSeries {
  var builds: HTML? {
    guard let steps = facts?.steps.prefix(PageLimits.builds), !steps.isEmpty else { return nil }
    return """
      <h3>Builds</h3>
      <figure class="strip">
      <svg viewBox="0 0 \(PageLimits.builds * Strip.pitch) \(Strip.height)" preserveAspectRatio="none" role="img"
      aria-label="\(Self.summary(Array(steps)))">
      \(Strip(steps: steps.reversed()).bars)</svg>
      <figcaption>\(Self.summary(Array(steps))) Newest at the right; a higher bar took longer.</figcaption>
      </figure>
      \(curves)
      <details><summary>Builds as a table</summary>
      \(buildsTable(steps.prefix(PageLimits.buildRows)))</details>
      """
  }

  private func buildsTable(_ steps: ArraySlice<StepRecord>) -> HTML {
    let heads: [HTML] = [
      .head("At"), .head("Outcome"), .head("Found by"), .numberHead("Version"), .numberHead("Took"),
      .numberHead("Inserted"),
      .numberHead("Changed"), .numberHead("Deleted"), .numberHead("Rows in all"), .numberHead("Delta"),
    ]
    return "\(HTML.table("\(id):builds", "The newest builds of \(name)", heads, steps.map(row)))\(moreBuilds)"
  }

  private var moreBuilds: HTML? {
    let count = (facts?.steps.count ?? 0) - PageLimits.buildRows
    guard count > 0 else { return nil }
    let link: HTML = "<a href=\"\(FrontPath.facts(series.dataset, state.model))\">all of them</a>"
    return "<p class=\"quiet\">\(HTML.number(count, "more build", "more builds")): \(link).</p>"
  }

  private static func summary(_ steps: [StepRecord]) -> String {
    let counts = StepRecord.Outcome.allCases.compactMap { outcome -> String? in
      let count = steps.count { $0.outcome == outcome }
      return count == 0 ? nil : "\(count) \(outcome.word)"
    }
    let longest = HTML.durationText(milliseconds: steps.map(\.milliseconds).max() ?? 0)
    return "\(counts.joined(separator: ", ")); the longest took \(longest)."
  }

  private func row(_ step: StepRecord) -> HTML {
    let times: HTML? = step.times > 1 ? " × \(HTML.number(step.times))" : nil
    let state: HTML = .state(step.outcome.kind, step.outcome.word)
    let start: [HTML] = [
      .cell("\(state)\(times)"), .cell("\(step.foundByWords)"),
      .numberCell(step.to.map(HTML.number)),
      .numberCell("\(HTML.durationText(milliseconds: step.milliseconds))"),
    ]
    let end: [HTML] = [.numberCell(step.rows.map(HTML.number)), .numberCell(step.deltaBytes.map(HTML.size))]
    return .row(named: .time(step.last), start + HTML.tallyCells(step.tally) + end)
  }

  private var curves: HTML {
    let steps = (facts?.steps ?? []).reversed()
    let rows = steps.compactMap { step in step.rows.map { (step.at, $0) } }
    let sizes = metadata.objects.filter { $0.encoding == .gzip && $0.span == nil }
      .compactMap { object in object.publishedAt.map { ($0, object.length) } }.sorted { $0.0 < $1.0 }
    let found = [
      Curve("Rows", rows, HTML.grouped).html, Curve("Snapshot size", sizes, HTML.sizeText).html,
    ].compactMap(\.self)
    return found.isEmpty ? .empty : "<div class=\"curves\">\n\(found)</div>"
  }
}

extension StepRecord {
  /// Formats `comparison: other-schema` with the words of the metrics.
  fileprivate var foundByWords: String {
    let missed = missedRows == 0 ? nil : "the log missed \(HTML.grouped(missedRows))"
    let why = [foundBy?.why?.rawValue, missed].compactMap(\.self)
    return [foundBy?.way.rawValue, why.isEmpty ? nil : why.joined(separator: ", ")].compactMap(\.self)
      .joined(separator: ": ")
  }

  /// The sum over all tables; `nil` if rows were not compared, as in a first version.
  var tally: TableChanges? {
    guard !changes.isEmpty else { return nil }
    var sum = TableChanges()
    sum.inserted = changes.values.map(\.inserted).boundedSum
    sum.updated = changes.values.map(\.updated).boundedSum
    sum.deleted = changes.values.map(\.deleted).boundedSum
    return sum
  }
}

extension HTML {
  /// Inserted, updated and deleted rows. Empty cells if not counted.
  static func tallyCells(_ tally: TableChanges?) -> [HTML] {
    [tally?.inserted, tally?.updated, tally?.deleted].map { .numberCell($0.map(HTML.number)) }
  }
}

extension StepRecord.Outcome {
  fileprivate var word: String { self == .rolledBack ? "rolled back" : rawValue }

  fileprivate var kind: String {
    switch self {
    case .published, .unchanged: "good"
    case .rolledBack, .held, .retired: "soon"
    case .refused, .failed: "bad"
    }
  }
}

private struct Strip {
  static let pitch = 10
  static let height = 40
  private static let barWidth = 8
  private static let least = 6

  let steps: [StepRecord]

  var bars: [HTML] {
    let longest = max(1, steps.map(\.milliseconds).max() ?? 1)
    let start = PageLimits.builds - steps.count
    return steps.enumerated().map { index, step in
      let height = Self.least + share(step.milliseconds, of: longest, in: Self.height - Self.least)
      return """
        <rect class="\(step.outcome.kind)" x="\((start + index) * Self.pitch)" y="\(Self.height - height)" \
        width="\(Self.barWidth)" height="\(height)"/>

        """
    }
  }
}

/// A small curve with its first and last values as text.
private struct Curve {
  private let name: String
  private let points: [(time: UTCTime, value: Int)]
  private let text: (Int) -> String

  private static let width = 200
  private static let height = 40

  init(_ name: String, _ points: [(UTCTime, Int)], _ text: @escaping (Int) -> String) {
    (self.name, self.text) = (name, text)
    self.points = points.suffix(PageLimits.points).map { ($0.0, $0.1) }
  }

  var html: HTML? {
    guard let words else { return nil }
    return """
      <figure class="curve"><figcaption>\(words)</figcaption>
      <svg viewBox="-2 -2 \(Self.width + 4) \(Self.height + 4)" role="img" aria-label="\(words)">\
      <polyline points="\(line)"/></svg></figure>

      """
  }

  /// Reports the range if the curve returns to its first value; `nil` if the texts do not differ.
  private var words: String? {
    let values = points.map(\.value)
    guard let first = values.first, let last = values.last, Set(values.map(text)).count > 1 else {
      return nil
    }
    guard text(first) == text(last) else { return "\(name): from \(text(first)) to \(text(last))" }
    return "\(name): between \(text(values.min() ?? first)) and \(text(values.max() ?? last))"
  }

  private var line: String {
    let (values, times) = (points.map(\.value), points.map(\.time.secondsSinceEpoch))
    let (low, high) = (values.min() ?? 0, values.max() ?? 0)
    let (start, end) = (times.min() ?? 0, times.max() ?? 0)
    return zip(times, values).map { time, value in
      let x = share(time - start, of: end - start, in: Self.width)
      return "\(x),\(Self.height - share(value - low, of: high - low, in: Self.height))"
    }.joined(separator: " ")
  }
}

/// Scales to whole units, because smaller differences are invisible.
private func share(_ part: Int, of whole: Int, in room: Int) -> Int {
  whole == 0 ? room / 2 : Int(Double(part) / Double(whole) * Double(room))
}
