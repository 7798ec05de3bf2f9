import SeedSystem

/// A feed's files from outside.
struct FeedListing {
  struct Entry {
    let name: String
    let path: String
    let stamp: FileStamp
  }

  /// Whether all of it may be read.
  enum Readiness: Equatable {
    case ready
    case unfinished(String)
  }

  let path: String
  let entries: [Entry]
  private let marker: FileStamp?
  /// When the folder got or lost a name; `nil` where the feed is one file.
  private let folder: FileStamp?
  private let settings: FeedSettings

  /// Lists what is there now.
  init(_ path: String, _ settings: FeedSettings) throws {
    (self.path, self.settings) = (path, settings)
    guard let stamp = try FileStamp(path) else { throw FeedError.missing(path: path) }
    guard !stamp.isRegular else {
      (marker, folder) = (nil, nil)
      entries = [Entry(name: String(path.split(separator: "/").last ?? ""), path: path, stamp: stamp)]
      return
    }
    folder = stamp
    marker = try settings.marker.flatMap { try FileStamp("\(path)/\($0)") }
    entries = try Folder.names(in: path).filter(settings.isPart).compactMap { name in
      let file = "\(path)/\(name)"
      guard let stamp = try FileStamp(file), stamp.isRegular else { return nil }
      return Entry(name: name, path: file, stamp: stamp)
    }
  }

  /// Differs where a file may have another content.
  var text: String {
    (entries.map { "\($0.name) \($0.stamp.text)" } + [marker?.text ?? ""]).joined(separator: "\n")
  }

  // MARK: Completeness

  /// Seconds after which a write would have moved a file's time.
  private static let clockSeconds = 2

  /// Whether an equal listing later on proves that nothing was written since.
  func isSettled(now: Int) -> Bool { newest.map { now - $0.seconds >= Self.clockSeconds } ?? true }

  private var newest: (name: String, seconds: Int)? {
    let all =
      entries.map { ($0.name, $0.stamp.changedSeconds) }
      + (folder.map { [("a name in it", $0.changedSeconds)] } ?? [])
    return all.max { $0.1 < $1.1 }
  }

  func readiness(now: Int) -> Readiness {
    guard let name = settings.marker, folder != nil else { return rest(now) }
    guard let marker else { return .unfinished("the file \(name) is not there, which ends it") }
    let later = entries.first { $0.stamp.isChanged(after: marker) }
    return later.map { .unfinished("\($0.name) came after \(name), which ends it") } ?? .ready
  }

  private func rest(_ now: Int) -> Readiness {
    guard settings.settleSeconds > 0, let newest, now - newest.seconds < settings.settleSeconds else {
      return .ready
    }
    let age = now - newest.seconds
    let change = age < 0 ? "\(-age) seconds ahead of this clock" : "\(age) seconds ago"
    return .unfinished(
      "\(newest.name) changed \(change), and origin.settleSeconds is \(settings.settleSeconds)")
  }
}

extension FeedSettings {
  /// Whether a name in the folder is one of the feed's.
  fileprivate func isPart(_ name: String) -> Bool {
    guard !name.hasPrefix("."), name != marker else { return false }
    return FeedName.isArchive(name) || isDocument(name)
  }

  /// Whether a file of that name holds rows.
  func isDocument(_ name: String) -> Bool {
    FeedName.layout(name, empty: emptyFields) != nil
      || tables.contains { $0.isNamed(name) }
  }
}
