import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

/// The one that writes to a store: it holds the lock, the trusted metadata and the writing connection.
///
/// Its caller takes turns, so that no two updates meet here.
actor StoreWriter {
  private nonisolated let executor = QueueExecutor(label: "seedbank.writer")
  let layout: StoreLayout
  let model: SeedModel
  let root: [UInt8]
  private let options: SeedOptions
  private let search: GenerationSearch
  private var lock: StoreLock?
  private var live: (name: String, file: SeedFile)?
  private var staged: StagedSeed?
  private var lender: SeedConnectionLender?
  /// The generation that was found last.
  private var reading: String?
  /// Generations that a read found to be damaged, noted beside them or not.
  private var damaged: Set<String> = []

  /// The actor's jobs run on a queue of its own.
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ layout: StoreLayout, _ model: SeedModel, root: [UInt8], options: SeedOptions) {
    self.layout = layout
    self.model = model
    self.root = root
    self.options = options
    search = GenerationSearch(layout: layout, model: model)
  }

  // MARK: What counts

  /// The generation to read. Under the lock a current one that cannot be read loses its place for good.
  func find(known: [Generation], justSwapped: Bool = false) throws -> GenerationSearch.Found {
    var found = try search.run(known: known, damaged: damaged) { [weak self] in
      Task { await self?.collect() }
    }
    if lock != nil { found.isRejected = try settle(found, justSwapped: justSwapped) }
    reading = found.generation?.name
    return found
  }

  /// Remembers that a read of the generation found damage, also after a restart.
  func noteDamage(_ name: String) {
    damaged.insert(name)
    // On a disk that takes no more, the store that comes next has to find it itself.
    try? layout.folder(name).refute()
  }

  /// What is not to be taken again.
  func rejected() throws -> Set<SHA256Digest> { try layout.rejected() }

  /// Drops a current generation that cannot be read; returns whether its snapshot is not to be taken again.
  private func settle(_ found: GenerationSearch.Found, justSwapped: Bool) throws -> Bool {
    guard let folder = found.damaged?.folder else { return false }
    let isRejected = try reject(folder, if: justSwapped || found.generation != nil)
    guard let other = found.generation else { return isRejected }
    try layout.setCurrent(other.name)
    if live?.name == folder.name { live = nil }
    collect()
    return isRejected
  }

  /// That a snapshot was never good is said of it only where no read has succeeded: later it is the disk that is to
  /// blame, and the same snapshot may help. So it may where the disk fails in this very moment. Nor is it said at a
  /// start without anything to go back to: then the snapshot has one more chance, in the moment after the swap.
  private func reject(_ folder: GenerationFolder, if hasNoMoreChance: Bool) throws -> Bool {
    guard hasNoMoreChance, !folder.isConfirmed, let record = try GenerationRecord(of: folder),
      GenerationCheck.provesDamage(folder)
    else { return false }
    try layout.reject([record.snapshot])
    return true
  }

  /// Goes back to the previous generation, and remembers what this one held.
  func rollBack(from generation: Generation, holding digest: SHA256Digest) throws {
    guard let pointer = try layout.pointer(), pointer.current == generation.name,
      let previous = pointer.previous
    else {
      throw SeedError(.noPrevious, "there is no generation before \(generation.name) in \(layout.directory)")
    }
    let folder = layout.folder(previous)
    guard !folder.isRefuted, try GenerationCheck.run(folder, model) == .usable else {
      throw SeedError(.noPrevious, "the generation before \(generation.name) cannot be read")
    }
    // In this order: a crash in between ends as the whole does, for what was rejected is not opened.
    try layout.reject([generation.record.snapshot, digest])
    try layout.setCurrent(previous)
    live = nil
  }

  /// Takes the lock, and removes what crashes left. Once; later it does nothing.
  func begin() throws {
    guard lock == nil else { return }
    try Folder.create(layout.directory, mode: 0o700)
    let held = try StoreLock(layout)
    try StoreOwner.check(layout, for: model, isBoundToMajor: options.isBoundToMajor)
    lock = held
    // Before anything is in it: what is made later has the folder's class.
    StoreDirectory.apply(options, to: layout.directory)
    try layout.create()
    try layout.sweep()
    try layout.collect(sparing: nil)
  }

  /// Removes generations that do not count and that nobody reads any more.
  func collect() {
    guard lock?.isInPlace == true else { return }
    // What stays here, the next look or the next start takes.
    try? layout.collect(sparing: staged?.name)
  }

  // MARK: A directory that goes

  /// Whether what this store holds is still what lies in its directory: the lock, and the generation that it reads.
  func isInPlace(_ generation: Generation?) -> Bool {
    lock?.isInPlace ?? true && generation?.lease.isInPlace ?? true
  }

  /// Lets go of a directory that somebody has removed. What was in it is not touched: in the place of that may lie
  /// another store's by now.
  func abandon() {
    (staged, live, lock) = (nil, nil, nil)
    (reading, damaged) = (nil, [])
  }

  /// Throws before a write that would go to a directory that somebody has removed, or to another store's.
  private func checkPlace() throws(SeedError) {
    guard lock?.isInPlace == false else { return }
    throw SeedError(
      .io, "\(layout.directory) was removed while it was updated: the next look begins anew, so try again")
  }

  /// Closes all that is open and gives the lock back.
  func suspend() {
    discardStaged()
    live = nil
    lock = nil
  }

  /// What the server now says of the series, verified; what was trusted is kept durably.
  func look(_ fetcher: Fetcher) async throws -> SeriesMetadata {
    collect()
    return try await fetcher.refreshed(model.series, root: root, stored: trusted)
  }

  /// What is trusted so far, and where more of it goes.
  var trusted: StoredMetadata {
    let trust = layout.trust
    return StoredMetadata(
      read: { try DurableFile.readIfPresent("\(trust)/\($0)", limit: Limits.metadataBytes) },
      persist: { try DurableFile.write($1, to: "\(trust)/\($0)", mode: 0o600) })
  }

  // MARK: What a restart must not lose

  /// What the last store on the directory knew.
  func record() -> StateRecord { StateRecord.read(layout) }

  /// Keeps what is known, durably, where it is worth a write.
  func keep(_ record: StateRecord) {
    guard lock != nil, record.isWorthKeeping(over: StateRecord.read(layout)) else { return }
    // A settings screen that is behind after a restart is no reason for an update to fail.
    try? record.write(layout)
  }

  // MARK: A new generation

  /// Makes a verified snapshot ready beside the generation that counts.
  func stage(_ fetched: FetchedObject, epoch: Epoch, origin: SeedOrigin = .downloaded) async throws {
    try await fetched.using {
      try Task.checkCancellation()
      discardStaged()
      try checkPlace()
      staged = try StagedSeed(fetched, epoch: epoch, origin: origin, previous: reading, in: layout)
    }
  }

  /// Takes the staged file on by a delta.
  func applyStaged(_ fetched: FetchedObject) async throws {
    try await fetched.using {
      try Task.checkCancellation()
      _ = try staged?.file.apply(fetched.document(), signed: fetched.object, keyLimit: 0)
    }
  }

  /// Makes the staged generation count; returns its name.
  func swap() throws -> String? {
    guard let staged else { return nil }
    try checkPlace()
    try layout.setCurrent(staged.name)
    live = lender == nil ? (staged.name, staged.file) : nil
    self.staged = nil
    return staged.name
  }

  /// Forgets a staged generation that came to nothing.
  func discardStaged() {
    guard let folder = staged?.folder else { return }
    staged = nil
    // What stays here, the sweep at the next start takes.
    try? Folder.removeAll(folder.path)
  }

  // MARK: The live one

  /// Lets changes go through connections of the app's own, or through the store's own again.
  func borrow(_ lender: SeedConnectionLender?) {
    self.lender = lender
    // One connection writes and checkpoints.
    live = nil
  }

  /// Takes a generation on by a delta, in one transaction.
  func apply(_ fetched: FetchedObject, to seed: Seed) async throws -> SeedChanges {
    let changes = try await fetched.using {
      try Task.checkCancellation()
      try checkPlace()
      if let lender {
        return try await Loan(seed: seed, delta: fetched, keyLimit: options.changedKeyLimit).run(lender)
      }
      let document = try fetched.document()
      return try open(seed.generation).apply(
        document, signed: fetched.object, keyLimit: options.changedKeyLimit)
    }
    fetched.discard()
    return changes
  }

  private func open(_ generation: Generation) throws -> SeedFile {
    if let live, live.name == generation.name { return live.file }
    let file = try SeedFile.live { try Connection(generation.folder.file, .writer) }
    live = (generation.name, file)
    return file
  }
}
