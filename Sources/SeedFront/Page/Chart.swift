import SeedSystem

/// A small chart above an axis with its first and last time. Each mark has its text as a title, which needs no script.
struct Chart {
  struct Point {
    let time: UTCTime
    let value: Int
    let text: String
    /// A class of the style sheet, which gives its colour.
    var kind = ""
    var link: String?
  }

  /// Oldest first.
  let points: [Point]

  static let width = 280
  private static let height = 40
  private static let barWidth = 10
  private static let leastBar = 6

  func bars(_ caption: HTML) -> HTML {
    let highest = max(1, points.map(\.value).max() ?? 1)
    let marks = points.enumerated().map { index, point in
      let height = Self.leastBar + share(point.value, of: highest, in: Self.height - Self.leastBar)
      let x = share(index, of: points.count - 1, in: Self.width - Self.barWidth) + Self.barWidth / 2
      return mark(point, "M\(x) \(Self.height)v-\(height)")
    }
    return figure("bars", caption, marks)
  }

  /// Returns `nil` if the texts do not differ.
  func line(_ name: String) -> HTML? {
    let sorted = points.sorted { $0.value < $1.value }
    guard let least = sorted.first, let most = sorted.last, least.text != most.text else { return nil }
    let times = points.map(\.time.secondsSinceEpoch)
    let (start, end) = (times.min() ?? 0, times.max() ?? 0)
    let places = zip(times, points.map(\.value)).map { time, value in
      (
        x: share(time - start, of: end - start, in: Self.width),
        y: Self.height - share(value - least.value, of: most.value - least.value, in: Self.height)
      )
    }
    let line: HTML = "<polyline points=\"\(places.map { "\($0.x),\($0.y)" }.joined(separator: " "))\"/>"
    let marks = zip(points, places).map { mark($0, "M\($1.x) \($1.y)h0") }
    return figure("line", "\(name): between \(least.text) and \(most.text)", [line] + marks)
  }

  private func mark(_ point: Point, _ path: String) -> HTML {
    let inside: HTML = "<title>\(HTML.readable(point.time)) UTC: \(point.text)</title><path d=\"\(path)\"/>"
    let kind: HTML? = point.kind.isEmpty ? nil : " class=\"\(point.kind)\""
    guard let link = point.link else { return "<g\(kind)>\(inside)</g>\n" }
    // The keyboard reaches the same documents in the table.
    return "<a class=\"change \(point.kind)\" href=\"\(link)\" tabindex=\"-1\">\(inside)</a>\n"
  }

  private func figure(_ kind: String, _ caption: HTML, _ marks: [HTML]) -> HTML {
    let end = points.last.flatMap { $0.time == points.first?.time ? nil : HTML.time($0.time) }
    return """
      <figure class="chart"><figcaption>\(caption)</figcaption>
      <svg class="\(kind)" viewBox="-2 -2 \(Self.width + 4) \(Self.height + 4)">
      \(marks)</svg>
      <p class="axis">\(points.first.map { .time($0.time) })\(end)</p></figure>

      """
  }
}

/// Scales to whole units, because smaller differences are invisible.
private func share(_ part: Int, of whole: Int, in room: Int) -> Int {
  whole == 0 ? room / 2 : Int(Double(part) / Double(whole) * Double(room))
}
