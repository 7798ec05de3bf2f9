import SeedDatabase
package import SeedFormat
package import SeedSystem

/// A feed of files, which are loaded into a staging database: the rows are read from there.
package struct FeedPlace: OriginPlace {
  private let settings: FeedSettings
  private let store: FeedStore
  private let loader: FeedLoader
  private let use: OriginUse
  /// That of the program.
  private let environment: [String: String]
  private let pace = FeedPace()

  package init(
    _ dataset: DatasetName, _ settings: FeedSettings, _ plans: [SeriesPlan], stateFolder: String,
    environment: [String: String] = [:], use: OriginUse = .step
  ) {
    self.environment = environment
    store = FeedStore(dataset, in: stateFolder)
    loader = FeedLoader(
      settings: settings, schema: FeedSchema(plans, settings.tables), staging: store.staging)
    (self.settings, self.use) = (settings, use)
  }

  package var text: String {
    switch settings.source {
    case .path(let path)?: path
    case .command(let words)?: words.joined(separator: " ")
    case nil: ""
    }
  }

  package var watchedFile: String? {
    guard case .path(let path)? = settings.source else { return nil }
    guard Folder.isFolder(path) else { return path }
    return settings.marker.map { "\(path)/\($0)" }
  }

  package func stamp() throws -> (any OriginStamp)? {
    FeedStamp(try loaded(), text, settings, takenAt: UTCTime.now().secondsSinceEpoch)
  }

  package func open(waitSeconds: Int) throws -> any Origin {
    let record = try loaded()
    let base = try SQLiteOrigin(store.staging, waitSeconds: waitSeconds, mayQuoteTexts: false)
    return FeedOrigin(base, store.staging, record, loader.schema)
  }

  /// Where the files lie that the program fetched last.
  package func filledFolder() throws -> String { try loaded().folder }

  /// What was loaded last, and when; `nil` where nothing was.
  package func lastLoading() -> (files: [String: Int], at: UTCTime)? {
    loader.record.map { record in
      let files = record.tables.flatMap { table in table.files.map { ($0.place, table.rows) } }
      return (
        Dictionary(files) { first, _ in first }, UTCTime(secondsSinceEpoch: record.loadedAt)
      )
    }
  }

  private func loaded() throws -> FeedRecord {
    guard let record = loader.record else { throw FeedError.notLoaded(path: text) }
    return record
  }

  // MARK: Loading

  /// Seconds for which a step waits for a feed that is being written.
  private static let waitSeconds = 10
  /// Between two looks at it.
  private static let lookMicroseconds: UInt32 = 100_000

  package func prepare() throws {
    let isPrepared = try store.withLock(waits: use != .look) {
      switch settings.source {
      case .path(let path)?:
        let deadline = ContinuousClock.now.advanced(by: .seconds(Self.waitSeconds))
        while try !prepare(path, isLast: ContinuousClock.now >= deadline) { usleep(Self.lookMicroseconds) }
      case .command(let words)?: try prepare(by: words)
      case nil: return
      }
    }
    // Who only looks does not wait for another process, whose program may take its time: what it loaded last counts.
    if !isPrepared, loader.record?.form != loader.form { throw FeedError.notLoaded(path: text) }
  }

  /// Starts the program where it is due; else the folder that it filled last counts.
  private func prepare(by words: [String]) throws {
    let (record, now) = (loader.record, UTCTime.now().secondsSinceEpoch)
    try store.sweepFolders(but: record?.folder ?? "")
    if let record, !isDue(record, now) {
      if record.form != loader.form { try load(record.folder, after: record, loadedAt: record.loadedAt) }
      return
    }
    guard use != .look else { throw FeedError.notLoaded(path: text) }
    try pace.trying(use == .schedule ? FeedPace.pause(settings.everySeconds) : 0, now: now) {
      let folder = try store.freshFolder()
      let last = record.flatMap { Folder.exists($0.folder) ? $0.folder : nil }
      try FeedProgram(words, environment: environment, seconds: settings.timeoutSeconds)
        .fill(folder, last: last, log: store.log)
      try load(folder, after: record, loadedAt: UTCTime.now().secondsSinceEpoch)
      try store.sweepFolders(but: folder)
    }
  }

  private func isDue(_ record: FeedRecord, _ now: Int) -> Bool {
    switch use {
    case .step: true
    case .schedule: FeedPace.isDue(record.loadedAt, every: settings.everySeconds, now: now)
    case .look: false
    }
  }

  private func load(_ folder: String, after record: FeedRecord?, loadedAt: Int) throws {
    let listing = try FeedListing(folder, settings)
    if let name = settings.marker, case .unfinished(let reason) = listing.readiness(now: loadedAt) {
      throw FeedError.unfinished(
        path: folder, reason: "\(reason): let origin.command write \(name) at its end")
    }
    _ = try loader.load(listing, after: record, now: loadedAt, folder: folder) { false }
  }

  /// False where it is still being written, unless this is the last try.
  private func prepare(_ path: String, isLast: Bool) throws -> Bool {
    let (listing, now) = (try FeedListing(path, settings), UTCTime.now().secondsSinceEpoch)
    let record = loader.record
    let isUsable = record?.form == loader.form
    if isUsable, let record, record.isSettled, record.listing == listing.text { return true }
    if case .unfinished(let reason) = listing.readiness(now: now) {
      // Who looks again and again need not wait.
      if isUsable, use == .schedule { return true }
      guard isLast else { return false }
      throw FeedError.unfinished(path: path, reason: reason)
    }
    let unchanged = { try FeedListing(path, settings).text == listing.text }
    if try loader.load(listing, after: record, now: now, unless: { try !unchanged() }) { return true }
    guard isLast else { return false }
    throw FeedError.unfinished(path: path, reason: "it changed while it was read")
  }
}

/// How a feed looked when it was loaded.
struct FeedStamp: OriginStamp {
  private let record: FeedRecord
  private let path: String
  private let settings: FeedSettings
  private let takenAt: Int

  init(_ record: FeedRecord, _ path: String, _ settings: FeedSettings, takenAt: Int) {
    (self.record, self.path, self.settings, self.takenAt) = (record, path, settings, takenAt)
  }

  /// By what was loaded: files that are other files with the same content are no news.
  var text: String { record.contents }

  /// The rows that were loaded stay.
  var isSettled: Bool { true }

  func renewed() -> (any OriginStamp)? {
    let now = UTCTime.now().secondsSinceEpoch
    guard OriginRest.lasts(from: takenAt, to: now) else { return nil }
    if case .command? = settings.source {
      return FeedPace.isDue(record.loadedAt, every: settings.everySeconds, now: now) ? nil : self
    }
    guard let listing = try? FeedListing(path, settings) else { return nil }
    if record.isSettled, listing.text == record.listing { return self }
    return listing.readiness(now: now) == .ready ? nil : self
  }
}
