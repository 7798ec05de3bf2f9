import Foundation

/// `seedbank run` with a permanent writer, and its memory minute by minute.
struct LongRun {
  private let folder: String
  private let rows: Int
  private let minutes: Int
  private let isJSON: Bool

  private static let usualRows = 20_000
  private static let fewestMinutes = 4
  private static let writesPerSecond = 5
  private static let mostChangedRows = 100
  /// A snapshot per minute, and the shortest grace period. With the default hour, deletions would start late.
  private static let settings: [(object: String, key: String, seconds: Int)] = [
    ("schedule", "snapshotSeconds", 60), ("retention", "graceSeconds", 60),
  ]

  init(_ folder: String, _ options: PublishOptions) throws {
    guard options.minutes >= Self.fewestMinutes else {
      throw BenchmarkError.usage("--minutes takes \(Self.fewestMinutes) at least")
    }
    (self.folder, minutes, isJSON) = (folder, options.minutes, options.isJSON)
    rows = options.rows(unlessChosen: Self.usualRows)
  }

  private var origin: String { "\(folder)/origin.sqlite" }
  private var deployment: String { "\(folder)/deployment" }

  func run() throws {
    try setUp()
    let (publisher, writer) = (try RunningPublisher(deployment), try OpenWriter(origin))
    var curve = MemoryCurve()
    let start = ContinuousClock.now
    for minute in 1...minutes {
      for write in 0..<60 * Self.writesPerSecond {
        let number = (minute - 1) * 60 * Self.writesPerSecond + write
        try writer.write(change(number))
        wait(until: start + .seconds(Double(number + 1) / Double(Self.writesPerSecond)))
      }
      curve.add(try publisher.memory())
      say(curve.line(isJSON: isJSON))
    }
    say(curve.summary(isJSON: isJSON))
  }

  private func setUp() throws {
    let fill = """
      CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT NOT NULL, price INTEGER NOT NULL);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
      INSERT INTO item SELECT i, 'Item ' || i, i % 997 FROM n;
      """
    try Tool.run("sqlite3", [origin], input: fill)
    try Tool.createDeployment(deployment, of: origin)
    try configure("\(deployment)/bench/dataset.json")
  }

  private func configure(_ file: String) throws {
    let text = try Data(contentsOf: URL(filePath: file))
    guard var object = try JSONSerialization.jsonObject(with: text) as? [String: Any] else {
      throw BenchmarkError.unexpected("something else than an object", in: file)
    }
    for setting in Self.settings {
      var part = object[setting.object] as? [String: Any] ?? [:]
      part[setting.key] = setting.seconds
      object[setting.object] = part
    }
    try JSONSerialization.data(withJSONObject: object).write(to: URL(filePath: file))
  }

  /// Up to a hundred rows, different from the previous ones.
  private func change(_ number: Int) -> String {
    let (count, first) = (number % Self.mostChangedRows + 1, number * 7919 % rows)
    return "UPDATE item SET price = price + 1 WHERE id BETWEEN \(first) AND \(first + count);"
  }

  private func wait(until instant: ContinuousClock.Instant) {
    let left = (instant - .now) / .seconds(1)
    if left > 0 { Thread.sleep(forTimeInterval: left) }
  }

  /// Unbuffered, so that redirected output shows the progress.
  private func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
}
