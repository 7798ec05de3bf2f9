import SeedDatabase
import SeedFormat
import SeedTrust

/// The one that writes to a store: it holds the lock, the trusted metadata and the writing connection.
///
/// Its caller takes turns, so that no two updates meet here.
actor StoreWriter {
  private nonisolated let executor = QueueExecutor(label: "seedbank.writer")
  let layout: StoreLayout
  let model: SeedModel
  let root: [UInt8]
  private var lock: StoreLock?
  private var live: (name: String, file: SeedFile)?
  private var staged: StagedSeed?

  /// The actor's jobs run on a queue of its own.
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ layout: StoreLayout, _ model: SeedModel, root: [UInt8]) {
    self.layout = layout
    self.model = model
    self.root = root
  }

  /// The name of the generation that counts, if the app's model can open it.
  func currentName(known: String?) throws -> String? {
    guard let name = try layout.currentName(), name != known else { return known }
    let path = "\(layout.generation(name))/\(Generation.fileName)"
    // A file that cannot be opened, or that is another model's, is as good as none: a snapshot takes its
    // place.
    guard let meta = try? SeedTables.meta(Connection(path, .reader)) else { return nil }
    return meta.opens(for: model) ? name : nil
  }

  /// Takes the lock, and removes what crashes left except for the generations in use. Once; later it does
  /// nothing.
  func begin(keeping names: Set<String>) throws {
    guard lock == nil else { return }
    try layout.create()
    lock = try StoreLock(layout)
    DefaultDirectory.excludeFromBackup(layout.directory)
    try layout.sweep(keeping: names)
  }

  /// What the server now says of the series, verified; what was trusted is kept durably.
  func look(_ fetcher: Fetcher, now: UTCTime) async throws -> SeriesMetadata {
    try await MetadataRefresh.refresh(
      series: model.series, shippedRoot: root, stored: trusted,
      fetch: { try await fetcher.metadata($0, limit: $1) }, now: now)
  }

  /// What is trusted so far, and where more of it goes.
  var trusted: StoredMetadata {
    let trust = layout.trust
    return StoredMetadata(
      read: { try DurableFile.readIfPresent("\(trust)/\($0)", limit: Limits.metadataBytes) },
      persist: { try DurableFile.write($1, to: "\(trust)/\($0)", mode: 0o600) })
  }

  // MARK: A new generation

  /// Makes a verified snapshot ready beside the generation that counts.
  func stage(_ fetched: FetchedObject, epoch: Epoch) throws {
    defer { fetched.discard() }
    discardStaged()
    staged = try StagedSeed(fetched, epoch: epoch, in: layout)
  }

  /// Takes the staged file on by a delta.
  func applyStaged(_ fetched: FetchedObject) throws {
    defer { fetched.discard() }
    _ = try staged?.file.apply(fetched.document(), to: fetched.object.version)
  }

  /// Makes the staged generation count; returns its name.
  func swap() throws -> String? {
    guard let staged else { return nil }
    try layout.setCurrent(staged.name)
    live = (staged.name, staged.file)
    self.staged = nil
    return staged.name
  }

  /// Forgets a staged generation that came to nothing.
  func discardStaged() {
    guard let name = staged?.name else { return }
    staged = nil
    // What stays here, the sweep at the next start takes.
    try? Folder.removeAll(layout.generation(name))
  }

  // MARK: The live one

  /// Takes a generation on by a delta, in one transaction.
  func apply(_ fetched: FetchedObject, to generation: Generation) throws -> SeedChanges {
    defer { fetched.discard() }
    let document = try fetched.document()
    return try open(generation).apply(document, to: fetched.object.version)
  }

  private func open(_ generation: Generation) throws -> SeedFile {
    if let live, live.name == generation.name { return live.file }
    let file = try SeedFile(generation.file)
    live = (generation.name, file)
    return file
  }
}

extension SeedMeta {
  /// Whether an app's queries can be asked of the file, as far as it says itself.
  fileprivate func opens(for app: SeedModel) -> Bool {
    guard series == app.series, model.opens(for: app.model) else { return false }
    // Of an older minor within it the file does not tell the hash; signed metadata did when it was taken in.
    return model != app.model || app.pin.admits(schema)
  }
}
