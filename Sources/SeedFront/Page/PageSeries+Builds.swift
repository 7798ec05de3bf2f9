import SeedDatabase
import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust

// The publisher's steps. Each version links to its changes, which the page's script shows as rows on the page.
extension PageSeries {
  private typealias Build = (step: StepRecord, document: String?)

  var builds: HTML? {
    let (spans, steps) = (metadata.objects.spans, facts?.steps ?? [])
    // The newest step without `from` began the epoch, so older steps belong to other epochs.
    let first = steps.firstIndex { $0.from == nil && $0.to != nil } ?? steps.endIndex
    let builds = steps.prefix(PageLimits.builds).enumerated().map { index, step in
      (step, index <= first ? document(of: step, spans) : nil) as Build
    }
    guard !builds.isEmpty else { return nil }
    let caption: HTML = "\(summary(builds.map(\.step))) Newest on the right; a higher bar took longer."
    return """
      <h3>Builds</h3>
      \(BarChart(bars: builds.reversed().map(Self.bar)).figure(caption))
      \(table(builds.prefix(PageLimits.buildRows)))
      """
  }

  /// The path of the step's changes; nil unless a delta of exactly this step is still published.
  private func document(of step: StepRecord, _ spans: Set<DeltaSpan>) -> String? {
    guard let from = step.from.flatMap({ try? SeedVersion($0) }),
      let to = step.to.flatMap({ try? SeedVersion($0) }), spans.contains(DeltaSpan(from: from, to: to)),
      from >= state.floor, !state.lifecycle.isRetired
    else { return nil }
    return FrontPath.changes(
      series.dataset, state.model, since: from.description, to: to, epoch: state.epoch.text)
  }

  private static func bar(_ build: Build) -> BarChart.Bar {
    let step = build.step
    let version = step.to.map { "version \(HTML.grouped($0)) " } ?? ""
    return BarChart.Bar(
      time: step.last, value: step.milliseconds,
      text: "\(version)\(step.outcome.word) in \(HTML.durationText(milliseconds: step.milliseconds))",
      kind: step.outcome.kind, link: build.document)
  }

  private func summary(_ steps: [StepRecord]) -> String {
    let counts = StepRecord.Outcome.allCases.compactMap { outcome -> String? in
      let count = steps.count { $0.outcome == outcome }
      return count == 0 ? nil : "\(count) \(outcome.word)"
    }
    let longest = HTML.durationText(milliseconds: steps.map(\.milliseconds).max() ?? 0)
    return "\(counts.joined(separator: ", ")); the longest took \(longest)."
  }

  private func table(_ builds: ArraySlice<Build>) -> HTML {
    let heads: [HTML] = [
      .head("At"), .head("Versions"), .head("Outcome"), .numberHead("Took"), .numberHead("Inserted"),
      .numberHead("Changed"), .numberHead("Deleted"), .numberHead("Total rows"), .numberHead("Delta"),
    ]
    let count = (facts?.steps.count ?? 0) - builds.count
    return """
      \(HTML.table("\(id):builds", "The newest builds: choose versions to see their rows", heads, builds.map(row)))
      \(HTML.more(count, "build", at: FrontPath.facts(series.dataset, state.model)))
      """
  }

  private func row(_ build: Build) -> HTML {
    let step = build.step
    let times: HTML? = step.times > 1 ? " × \(HTML.number(step.times))" : nil
    let cells: [HTML] = [
      .cell(versions(build)),
      .cell("\(HTML.state(step.outcome.kind, step.outcome.word))\(times) \(step.foundByWords)"),
      .numberCell("\(HTML.durationText(milliseconds: step.milliseconds))"),
    ]
    let counts = [step.sum(\.inserted), step.sum(\.updated), step.sum(\.deleted), step.rows]
    return .row(
      build.document == nil ? nil : "\(id):\(step.from ?? 0)-\(step.to ?? 0)", named: .time(step.last),
      cells + counts.map { .numberCell($0.map(HTML.number)) } + [.numberCell(step.deltaBytes.map(HTML.size))])
  }

  private func versions(_ build: Build) -> HTML? {
    guard let document = build.document else { return build.step.to.map(HTML.number) }
    return "<a class=\"change\" href=\"\(document)\">\(build.step.from ?? 0) → \(build.step.to ?? 0)</a>"
  }

  var changes: HTML? {
    guard state.floor < state.head, !state.lifecycle.isRetired else { return nil }
    let path = FrontPath.changes(series.dataset, state.model, since: "{since}", epoch: state.epoch.text)
    return """
      <h3>Changes</h3>
      <p class="noscript"><a href="\(path.replacing("{since}", with: state.floor.description))">All since version \
      \(state.floor.number)</a></p>
      <form class="range" data-path="\(path)">
      <label>From version \(versionField("since", state.floor))</label>
      <label>to \(versionField("to", state.head))</label>
      <button>Show changes</button></form>
      <div class="explorer" id="\(id):explorer" tabindex="-1" data-own></div>
      """
  }

  private func versionField(_ name: String, _ version: SeedVersion) -> HTML {
    """
    <input name="\(name)" type="number" min="\(state.floor.number)" max="\(state.head.number)" \
    value="\(version.number)" required>
    """
  }
}

extension StepRecord {
  /// How the step found its changes, such as `comparison: other-schema`.
  fileprivate var foundByWords: HTML? {
    let missed = missedRows == 0 ? nil : "the log missed \(HTML.grouped(missedRows))"
    let why = [foundBy?.why?.rawValue, missed].compactMap(\.self)
    let words = [foundBy?.way.rawValue, why.isEmpty ? nil : why.joined(separator: ", ")].compactMap(\.self)
    return words.isEmpty ? nil : "<span class=\"quiet\">\(words.joined(separator: ": "))</span>"
  }

  /// The sum over all tables; `nil` if rows were not compared, as in a first version.
  fileprivate func sum(_ count: (TableChanges) -> Int) -> Int? {
    changes.isEmpty ? nil : changes.values.map(count).boundedSum
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

/// Bars above an axis with the first and last time. Each bar's `text` becomes a `<title>`, which browsers show as a
/// tooltip without a script.
struct BarChart {
  struct Bar {
    let time: UTCTime
    let value: Int
    let text: String
    /// A class of the style sheet, which sets its colour.
    let kind: String
    let link: String?
  }

  /// Oldest first.
  let bars: [Bar]

  private static let width = 280
  private static let height = 40
  private static let barWidth = 10
  private static let leastBar = 6

  func figure(_ caption: HTML) -> HTML {
    let highest = max(1, bars.map(\.value).max() ?? 1)
    // The clock may have been set back between two bars.
    let times = bars.map(\.time)
    let (start, end) = (times.min() ?? .distantPast, times.max() ?? .distantPast)
    func seconds(to time: UTCTime) -> Int { time.secondsSinceEpoch - start.secondsSinceEpoch }
    let marks = bars.map { bar in
      let height = Self.leastBar + share(bar.value, of: highest, in: Self.height - Self.leastBar)
      let x =
        share(seconds(to: bar.time), of: seconds(to: end), in: Self.width - Self.barWidth) + Self.barWidth / 2
      return mark(bar, "M\(x) \(Self.height)v-\(height)")
    }
    return """
      <figure class="chart"><figcaption>\(caption)</figcaption>
      <svg viewBox="-2 -2 \(Self.width + 4) \(Self.height + 4)">
      \(marks)</svg>
      <p class="axis">\(HTML.time(start))\(end == start ? nil : HTML.time(end))</p></figure>
      """
  }

  private func mark(_ bar: Bar, _ path: String) -> HTML {
    let inside: HTML = "<title>\(HTML.readable(bar.time)) UTC: \(bar.text)</title><path d=\"\(path)\"/>"
    guard let link = bar.link else { return "<g class=\"\(bar.kind)\">\(inside)</g>\n" }
    // Skipped by the Tab key, because the table has the same links.
    return "<a class=\"change \(bar.kind)\" href=\"\(link)\" tabindex=\"-1\">\(inside)</a>\n"
  }
}

/// Scales to whole units, because smaller differences are invisible.
private func share(_ part: Int, of whole: Int, in room: Int) -> Int {
  whole == 0 ? room / 2 : Int(Double(part) / Double(whole) * Double(room))
}
