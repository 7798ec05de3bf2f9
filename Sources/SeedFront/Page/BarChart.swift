import SeedSystem

/// Bars above an axis with its first and last time. Each bar has its text as a title, which needs no script.
struct BarChart {
  struct Bar {
    let time: UTCTime
    let value: Int
    let text: String
    /// A class of the style sheet, which gives its colour.
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
    let (start, end) = (bars.first?.time ?? .distantPast, bars.last?.time ?? .distantPast)
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
    // The keyboard reaches the same documents in the table.
    return "<a class=\"change \(bar.kind)\" href=\"\(link)\" tabindex=\"-1\">\(inside)</a>\n"
  }
}

/// Scales to whole units, because smaller differences are invisible.
private func share(_ part: Int, of whole: Int, in room: Int) -> Int {
  whole == 0 ? room / 2 : Int(Double(part) / Double(whole) * Double(room))
}
