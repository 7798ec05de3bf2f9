import SeedDatabase
import SeedFormat

extension SeedStore {
  /// The data to start with: what is on this device, else what the server has.
  ///
  /// Works offline once there was a first download, and never yields an empty database.
  @discardableResult
  public func prepare() async throws(SeedError) -> Seed {
    if let current { return try await seed(of: current) }
    await takeTurn()
    defer { turns.end() }
    do {
      return try await preparing()
    } catch {
      throw failure(error)
    }
  }

  // MARK: What is on the device

  func preparing() async throws -> Seed {
    try Task.checkCancellation()
    if let generation = try await adopt() { return try await seed(of: generation) }
    return try await looking().seed
  }

  /// Opens the generation that counts, unless it is open already.
  func adopt() async throws -> Generation? {
    let name = try await writer.currentName(known: current?.name)
    guard let name, name != current?.name else { return current }
    let generation = Generation(name, in: layout)
    try await open(generation)
    return generation
  }

  /// Makes a generation the one that is read, and tells everyone.
  func open(_ generation: Generation) async throws {
    let seed = try await seed(of: generation)
    // What another store wrote is that store's to remove.
    if isWriting { previous?.abandon() }
    previous = current
    current = generation
    openingsSender.send(seed)
    moments.send(seed)
  }

  func seed(of generation: Generation) async throws(SeedError) -> Seed {
    do {
      let meta = try await generation.reader.meta()
      note(meta)
      return Seed(generation, meta.version)
    } catch {
      throw SeedError(error)
    }
  }

  /// What is on the device when no one else can change it any more.
  func beginWriting() async throws -> Generation? {
    let found = try await adopt()
    guard !isWriting else { return found }
    try await writer.begin(keeping: Set([current, previous].compactMap { $0?.name }))
    isWriting = true
    return try await adopt()
  }
}
