import SeedDatabase
import SeedFormat
import SeedSystem

/// Whether a generation can be read on this device.
enum GenerationCheck {
  /// What was found.
  enum Finding: Hashable {
    case usable
    /// It is whole, and of a model that the app's queries cannot be asked of.
    case foreign
    case damaged(reason: String)
  }

  /// Reads what the file says of itself, and a row of every table. What only keeps it from being read now, such as
  /// a disk error or a locked device, is thrown.
  static func run(_ folder: GenerationFolder, _ model: SeedModel) throws -> Finding {
    guard Folder.exists(folder.file) else { return .damaged(reason: "\(folder.file) is not there") }
    do {
      let connection = try Connection(folder.file, .reader)
      guard try SeedTables.meta(connection).opens(for: model) else { return .foreign }
      for table in try SeedTables.sums(connection).keys.sorted() {
        _ = try connection.value("SELECT 1 FROM \(quoted(table)) LIMIT 1")
      }
      return .usable
    } catch {
      guard isDamage(error) else { throw error }
      return .damaged(reason: String(describing: error))
    }
  }

  /// Whether SQLite, asked anew for all pages, finds damage in bytes that the disk does give back: then the snapshot
  /// was never good. Of a disk that failed, now or a moment ago, nothing follows for the snapshot.
  static func provesDamage(_ folder: GenerationFolder) -> Bool {
    do {
      let connection = try Connection(folder.file, .reader)
      let answer = Result { try connection.rows("PRAGMA quick_check") }
      guard !connection.hasDiskFailed else { return false }
      return try answer.get() != [[.text("ok")]]
    } catch {
      return isDamage(error)
    }
  }

  /// SQLITE_ERROR: a table that every seed has is missing.
  private static let genericError: Int32 = 1

  static func isDamage(_ error: any Error) -> Bool {
    switch error {
    case let error as DatabaseError:
      error.saysDamage || error.primaryCode == genericError
    case is NotASeed, is InvalidName, is InvalidText: true
    default: false
    }
  }
}

extension SeedMeta {
  /// Whether an app's queries can be asked of the file, as far as it says itself.
  func opens(for app: SeedModel) -> Bool {
    guard series == app.series, model.opens(for: app.model) else { return false }
    // Of an older minor within it the file does not tell the hash; signed metadata did when it was taken in.
    return model != app.model || app.pin.admits(schema)
  }
}
