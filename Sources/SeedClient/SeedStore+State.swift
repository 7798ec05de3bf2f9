import SeedDatabase
import SeedSystem

extension SeedStore {
  /// The data and its last update, to show on a settings screen.
  public var state: SeedState {
    get async {
      await loadState()
      noteAge()
      return currentState
    }
  }

  /// Reads the state from the disk, once, without opening the data or waiting for an update.
  func loadState() async {
    guard !hasRecord, access == .open else { return }
    let glance = await writer.glance()
    // A read or an update may have loaded it meanwhile.
    guard !hasRecord, access == .open else { return }
    // Assigned once, because each assignment is sent to listeners.
    var state = currentState
    (state.record, hasRecord) = (glance.record, true)
    if current == nil, let meta = glance.meta {
      state.note(meta)
      state.origin = glance.origin
    }
    currentState = aged(state)
  }

  func noteAge() { currentState = aged(currentState) }

  private func aged(_ state: SeedState) -> SeedState {
    // A read-only store's data is as fresh as the updating store keeps it.
    guard fetcher != nil, state.version != nil else { return state }
    var state = state
    state.isOld = state.record.isOld(at: environment.now())
    return state
  }

  var pollInterval: PollInterval { currentState.record.pollInterval }
}

/// The stored data and state, as a start would find them.
struct StoreGlance: Sendable {
  let record: StateRecord
  var meta: SeedMeta?
  var origin: SeedOrigin?
}

extension StoreWriter {
  func glance() -> StoreGlance {
    var glance = StoreGlance(record: record())
    guard let name = try? layout.pointer()?.current else { return glance }
    let folder = layout.folder(name)
    guard !folder.has(.damaged), (try? GenerationCheck.run(folder, model)) == .usable,
      let record = try? GenerationRecord(of: folder)
    else { return glance }
    glance.meta = try? SeedTables.meta(Connection(folder.file, .reader))
    glance.origin = record.origin
    return glance
  }
}
