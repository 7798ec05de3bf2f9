import SeedDatabase
import SeedFormat

/// Whose data lies in a store's directory.
enum StoreOwner {
  /// Throws where it is another dataset's, or another major's for a store that is bound to its own.
  static func check(_ layout: StoreLayout, for model: SeedModel, isBoundToMajor: Bool) throws(SeedError) {
    guard let owner = series(layout), owner != model.series else { return }
    guard isBoundToMajor || owner.dataset != model.dataset else { return }
    throw SeedError(
      .configuration,
      "\(layout.directory) is a store of \(owner): give \(model.series) a directory of its own")
  }

  /// `nil` where nothing counts, or what does cannot be read: then there is nothing to be lost.
  private static func series(_ layout: StoreLayout) -> Series? {
    guard let pointer = try? layout.pointer() else { return nil }
    let connection = try? Connection(layout.folder(pointer.current).file, .reader)
    return connection.flatMap { try? SeedTables.meta($0).series }
  }
}
