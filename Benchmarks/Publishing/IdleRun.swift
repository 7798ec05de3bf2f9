import Foundation

/// `seedbank run` with an unchanged WAL origin, as root and as an ordinary user. The ordinary user owns the origin;
/// if root opens its WAL, SQLite changes the WAL's times.
struct IdleRun {
  private let folder: String
  private let rows: Int
  private let isJSON: Bool

  private static let usualRows = 3_000_000
  private static let seconds = 60.0
  /// Seconds until the first step has certainly ended.
  private static let settlingSeconds = 20.0
  private static let mostShare = 0.005

  init(_ folder: String, _ options: PublishOptions) {
    (self.folder, isJSON) = (folder, options.isJSON)
    rows = options.rows(unlessChosen: Self.usualRows)
  }

  func run() throws {
    let place = "\(folder)/origin"
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    let origin = try TransitOrigin(place, rows: rows, .rowid)
    try Tool.run("sqlite3", [origin.path], input: "PRAGMA journal_mode = WAL;")
    try OrdinaryUser.give(place)
    let writer = try OpenWriter(origin.path)
    try writer.write("UPDATE trip SET headsign = headsign WHERE id = 0;")
    let scene = PublishScene(folder: folder, origin: origin)
    _ = try scene.build()
    if OrdinaryUser.isNeeded { try measure("root", scene, isOrdinary: false) }
    try OrdinaryUser.give(scene.deployment)
    try OrdinaryUser.give(place)
    try measure("an ordinary user", scene, isOrdinary: true)
    // Keeps the connection and its WAL until the end.
    try writer.write(".quit")
  }

  private func measure(_ user: String, _ scene: PublishScene, isOrdinary: Bool) throws {
    let publisher = try RunningPublisher(scene.deployment, asOrdinaryUser: isOrdinary)
    Thread.sleep(forTimeInterval: Self.settlingSeconds)
    let before = try publisher.processorSeconds()
    Thread.sleep(forTimeInterval: Self.seconds)
    let used = try publisher.processorSeconds() - before
    PublishReport(isJSON: isJSON, rows: rows, layout: TransitOrigin.Layout.rowid.rawValue).addShare(
      "run at rest beside an unchanged log, as \(user)", processorSeconds: used, of: Self.seconds,
      bar: Self.mostShare)
  }
}
