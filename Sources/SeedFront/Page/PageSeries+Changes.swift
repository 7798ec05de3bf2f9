import SeedDatabase
import SeedFormat
import SeedPublication
import SeedTrust

// The changes of each version. The script shows the rows of a chosen delta; without it, the link opens the document.
extension PageSeries {
  var changes: HTML? {
    let spans = newestSpans
    guard !spans.isEmpty, !state.lifecycle.isRetired else { return nil }
    let heads: [HTML] = [
      .head("Versions"), .head("Published"), .numberHead("Inserted"), .numberHead("Changed"),
      .numberHead("Deleted"), .numberHead("Delta"),
    ]
    return """
      <div class="changes">
      <h3>Changes</h3>
      \(HTML.table("\(id):changes", "What each version changed: choose one", heads, spans.map(row)))
      \(rangeForm)
      <div class="explorer" id="\(id):explorer" tabindex="-1" data-own></div>
      </div>
      """
  }

  private var rangeForm: HTML {
    let path = FrontPath.changes(series.dataset, state.model, since: "{since}", epoch: state.epoch.text)
    return """
      <form class="range" data-path="\(path)">
      <label>From version \(versionField("since", state.floor))</label>
      <label>to \(versionField("to", state.head))</label>
      <button>Show changes</button></form>
      """
  }

  private func versionField(_ name: String, _ version: SeedVersion) -> HTML {
    """
    <input name="\(name)" type="number" min="\(state.floor.number)" max="\(state.head.number)" \
    value="\(version.number)" required>
    """
  }

  /// The shortest delta to each of the newest versions, newest first.
  private var newestSpans: [PublishedObject] {
    let deltas = metadata.objects.filter { $0.encoding == .gzip }.compactMap { object in
      object.span.map { (object, $0) }
    }
    let nearest = Dictionary(grouping: deltas, by: \.1.to).compactMapValues { same in
      same.max { $0.1.from < $1.1.from }
    }
    return nearest.values.filter { $0.1.from >= state.floor }
      .sorted { $0.1.to > $1.1.to }.prefix(PageLimits.versions).map(\.0)
  }

  private func row(_ delta: PublishedObject) -> HTML {
    guard let span = delta.span else { return .empty }
    let path = FrontPath.changes(
      series.dataset, state.model, since: span.from.description, to: span.to, epoch: state.epoch.text)
    let step = facts?.steps.first { step in
      step.to == span.to.number && step.from == span.from.number && !step.changes.isEmpty
    }
    return .row(
      "\(id):\(span.from)-\(span.to)",
      named: """
        <a class="change" href="\(path)">\(span.from.number) → \(span.to.number)</a>
        """,
      [.cell(step.map { .time($0.at) })] + HTML.tallyCells(step?.tally) + [.numberCell(.size(delta.length))])
  }
}
