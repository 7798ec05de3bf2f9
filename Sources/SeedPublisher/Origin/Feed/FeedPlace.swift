import SeedDatabase
package import SeedFormat
import SeedPublication
import SeedSystem

/// A feed of files that are loaded into a staging database, from which rows are read.
package struct FeedPlace: OriginPlace {
  private let settings: FeedSettings
  private let folder: String
  private var loader: FeedLoader
  private let use: OriginUse
  private let environment: [String: String]
  private let retry = FeedRetry()

  package init(
    _ dataset: DatasetName, _ settings: FeedSettings, _ plans: [SeriesPlan], stateFolder: String,
    environment: [String: String] = [:], use: OriginUse = .step
  ) {
    folder = "\(stateFolder)/feeds/\(dataset)"
    loader = FeedLoader(
      settings: settings, schema: FeedSchema(plans, settings.tables), staging: "\(folder)/staging.sqlite")
    (self.settings, self.use, self.environment) = (settings, use, environment)
  }

  package func reading(_ plans: [SeriesPlan]) -> any OriginPlace {
    var place = self
    place.loader.schema = FeedSchema(plans, settings.tables)
    return place
  }

  package var text: String { settings.source?.text ?? "" }

  package var watchedFile: String? {
    guard case .path(let path)? = settings.source else { return nil }
    guard Folder.leadsToFolder(path) else { return path }
    return settings.marker.map { "\(path)/\($0)" }
  }

  package func look() throws -> OriginLook {
    (FeedStamp(record: try usable(loaded()), settings: settings, takenAt: Self.now), open)
  }

  package func open(waitSeconds: Int) throws -> any Origin {
    _ = try loaded()
    let base = try SQLiteOrigin(loader.staging, waitSeconds: waitSeconds, mayQuoteTexts: false)
    return FeedOrigin(base, try usable(FeedRecord(in: base.connection)), loader.schema)
  }

  package func filledFolder() throws -> String { try loaded().folder }

  private func loaded() throws -> FeedRecord {
    guard let record = loader.record else { throw OriginError.notLoaded(path: text) }
    return record
  }

  /// Rejects rows that another process has loaded for other models since `prepare`, because some may be missing.
  private func usable(_ record: FeedRecord?) throws -> FeedRecord {
    guard let record, loader.isUsable(record) else { throw OriginError.loadedByOther(path: text) }
    return record
  }

  private static var now: Int { UTCTime.now().secondsSinceEpoch }
  /// Seconds that a step waits for a feed that is being written.
  private static let waitSeconds = 10
  /// Microseconds between two checks of such a feed.
  private static let lookMicroseconds: UInt32 = 100_000

  package func prepare() throws {
    let isPrepared = try withLock(waits: use != .look) {
      switch settings.source {
      case .path(let path)?:
        let deadline = ContinuousClock.now.advanced(by: .seconds(Self.waitSeconds))
        var isLast = false
        while let reason = try unfinished(path) {
          guard !isLast else { throw OriginError.unfinished(path: path, reason: reason) }
          usleep(Self.lookMicroseconds)
          isLast = ContinuousClock.now >= deadline
        }
      case .command(let words)?: try prepare(by: words)
      case nil: return
      }
    }
    // A `look` does not wait for another process, whose program may be slow, so it needs rows loaded earlier.
    if !isPrepared, loader.usableRecord == nil { throw OriginError.notLoaded(path: text) }
  }

  /// Loads the files if they are not loaded yet. Returns the reason if they cannot be read yet.
  private func unfinished(_ path: String) throws -> String? {
    let (listing, now, usable) = (try FeedListing(path, settings), Self.now, loader.usableRecord)
    if let usable, usable.isSettled, usable.listing == listing.text { return nil }
    if let reason = listing.unfinished(now: now, since: usable) {
      // `seedbank run` uses the earlier rows, because it checks again later.
      return usable != nil && use == .schedule ? nil : reason
    }
    let isLoaded = try loader.load(listing, now: now) { try FeedListing(path, settings).text != listing.text }
    return isLoaded ? nil : "it changed while it was read"
  }

  /// Runs the program if it is due or was changed. Otherwise uses the folder that was filled last.
  private func prepare(by words: [String]) throws {
    let (record, now) = (loader.record, Self.now)
    try sweepFolders(but: record?.folder ?? "")
    if let record, loader.isFromSource(record), !isDue(record, now) {
      if !loader.isOfForm(record) { try load(record.folder, loadedAt: record.loadedAt) }
      return
    }
    guard use != .look else { throw OriginError.notLoaded(path: text) }
    try retry.trying(use == .schedule ? min(settings.everySeconds, FeedRetry.longestPause) : 0, now: now) {
      // The random part is a number, which `failureKey` ignores, so errors that differ only in it count as equal.
      let folder = "\(self.folder)/\(Self.filled)\(UInt64.random(in: .min ... .max))"
      try Folder.create(folder)
      // Files from a different command, such as another city's, must not count as unchanged.
      let last = record.flatMap { loader.isFromSource($0) && Folder.exists($0.folder) ? $0.folder : nil }
      try FeedProgram.fill(
        folder, last: last, by: words, environment, within: .seconds(settings.timeoutSeconds),
        log: "\(self.folder)/command.log")
      try load(folder, loadedAt: Self.now)
      try sweepFolders(but: folder)
    }
  }

  private func isDue(_ record: FeedRecord, _ now: Int) -> Bool {
    switch use {
    case .step: true
    case .schedule: FeedRetry.isDue(record.loadedAt, every: settings.everySeconds, now: now)
    case .look: false
    }
  }

  private func load(_ folder: String, loadedAt: Int) throws {
    let listing = try FeedListing(folder, settings)
    if let name = settings.marker, let reason = listing.unfinished(now: loadedAt) {
      throw OriginError.unfinished(path: folder, reason: "\(reason): have origin.command write \(name) last")
    }
    _ = try loader.load(listing, now: loadedAt, folder: folder) { false }
  }

  /// Runs `body` when no other process is loading this feed. If `waits` is false, returns false instead of waiting.
  private func withLock(waits: Bool, _ body: () throws -> Void) throws -> Bool {
    try Folder.create(folder)
    let lock = LockFile("\(folder)/.lock", of: folder)
    func load() throws {
      // A leftover file that cannot be removed must not stop the feed; the next run tries again.
      _ = try DurableFile.sweep(folder)
      try body()
    }
    guard waits else { return try lock.holdIfFree(load) != nil }
    try lock.hold(.short, load)
    return true
  }

  private static let filled = "filled-"

  private func sweepFolders(but kept: String) throws {
    for path in try Folder.names(in: folder).filter({ $0.hasPrefix(Self.filled) }).map({ "\(folder)/\($0)" })
    where path != kept { try Folder.removeAll(path) }
  }
}

struct FeedStamp: OriginStamp {
  let record: FeedRecord
  let settings: FeedSettings
  let takenAt: Int

  /// Depends on content alone: replacing files with equal ones is not a change.
  var text: String { record.contents }

  var isSettled: Bool { true }

  func renewed() -> (any OriginStamp)? {
    let now = UTCTime.now().secondsSinceEpoch
    guard OriginRest.lasts(from: takenAt, to: now) else { return nil }
    guard case .path(let path)? = settings.source else {
      return FeedRetry.isDue(record.loadedAt, every: settings.everySeconds, now: now) ? nil : self
    }
    guard let listing = try? FeedListing(path, settings) else { return nil }
    let isKnown = record.isSettled && listing.text == record.listing
    return isKnown || listing.unfinished(now: now, since: record) != nil ? self : nil
  }
}

extension OriginError {
  static func loadedByOther(path: String) -> OriginError {
    .unavailable(
      "the feed \(path) was loaded by another process, with other models or settings: the next step loads it again; if "
        + "this recurs, restart 'seedbank run', which reads models and settings only when it starts")
  }

  static func unfinished(path: String, reason: String) -> OriginError {
    .unavailable("the feed \(path) is still being written: \(reason); it is read only once it is complete")
  }
}
