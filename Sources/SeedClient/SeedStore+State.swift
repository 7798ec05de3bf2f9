import SeedDatabase
import SeedSystem

extension SeedStore {
  /// The state of the data and of its last update, to show on a settings screen.
  public var state: SeedState {
    get async {
      await loadState()
      noteAge()
      return currentState
    }
  }

  /// Reads the state from the disk, once, without waiting for an update.
  func loadState() async {
    guard !hasRecord, access == .open else { return }
    let (record, data) = await writer.stored()
    // A read or an update may have loaded the record meanwhile.
    guard !hasRecord, access == .open else { return }
    // Assigned once, because each assignment is sent to listeners.
    var state = currentState
    (state.record, hasRecord) = (record, true)
    if current == nil, let (meta, origin) = data {
      state.note(meta)
      state.origin = origin
    }
    currentState = aged(state)
  }

  func noteAge() { currentState = aged(currentState) }

  private func aged(_ state: SeedState) -> SeedState {
    // A read-only store cannot update, so only a failed read makes its data stale.
    guard fetcher != nil, state.version != nil else { return state }
    var state = state
    state.isOld = state.record.isOld(at: environment.now())
    return state
  }
}

extension StoreWriter {
  /// The stored state and data, as a new store would find them.
  func stored() -> (record: StateRecord, data: (SeedMeta, SeedOrigin)?) {
    let record = record()
    guard let folder = try? layout.pointer().map({ layout.folder($0.current) }), !folder.has(.damaged),
      (try? GenerationCheck.run(folder, model)) == .usable,
      let origin = try? GenerationRecord(of: folder)?.origin,
      let meta = try? SeedTables.meta(Connection(folder.file, .reader))
    else { return (record, nil) }
    return (record, (meta, origin))
  }
}
