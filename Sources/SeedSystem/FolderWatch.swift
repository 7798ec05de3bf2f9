import Dispatch

/// Watches a folder for new and replaced files, or given files of the folder for writes and replacement, until it is
/// released.
package final class FolderWatch: @unchecked Sendable {
  // Dispatch sources are thread-safe, but not marked Sendable on every system.
  private let source: any DispatchSourceProtocol
  private let isOver: Mutex<Bool>
  package let folder: String

  /// Returns nil if the folder is missing or the system has no descriptors left. `onChange` is called on a private
  /// queue, once for changes in quick succession. If `writtenFiles` is empty, watches the whole folder. Apple's systems
  /// ignore `writtenFiles` and report every change to the folder's names, but no writes to files.
  package init?(_ folder: String, writtenFiles: Set<String> = [], onChange: @escaping @Sendable () -> Void) {
    guard let events = FolderEvents(folder, writtenFiles) else { return nil }
    let source = events.source(on: DispatchQueue(label: "seedbank.watch"))
    (self.source, self.folder) = (source, folder)
    isOver = Mutex(false)
    source.setEventHandler { [weak self] in
      guard let self else { return }
      let news = events.take(from: self.source)
      if news == .end { isOver.withLock { $0 = true } }
      if news != .none { onChange() }
    }
    source.setCancelHandler { close(events.descriptor) }
    source.activate()
  }

  deinit { source.cancel() }

  /// True after the folder was removed or renamed.
  package var hasEnded: Bool { isOver.withLock(\.self) }
}

private enum FolderNews: Hashable { case none, change, end }

#if canImport(Darwin)
private struct FolderEvents: Sendable {
  let descriptor: Int32

  init?(_ folder: String, _ files: Set<String>) {
    descriptor = open(folder, O_EVTONLY | O_CLOEXEC)
    if descriptor < 0 { return nil }
  }

  func source(on queue: DispatchQueue) -> any DispatchSourceFileSystemObject {
    DispatchSource.makeFileSystemObjectSource(
      fileDescriptor: descriptor, eventMask: [.write, .delete, .rename], queue: queue)
  }

  func take(from source: any DispatchSourceProtocol) -> FolderNews {
    let events = DispatchSource.FileSystemEvent(rawValue: source.data)
    return events.isDisjoint(with: [.delete, .rename]) ? .change : .end
  }
}
#else
private struct FolderEvents: Sendable {
  let descriptor: Int32
  private let parentWatch: Int32
  private let name: String
  private let files: Set<String>

  private static let changes = UInt32(IN_CREATE | IN_MOVED_TO | IN_ONLYDIR)
  /// Excludes creation, because a new file is still empty.
  private static let writes = UInt32(IN_MODIFY | IN_MOVED_TO | IN_ONLYDIR)
  private static let ends = UInt32(IN_DELETE | IN_MOVED_FROM | IN_ONLYDIR)
  private static let eventBytes = 4096

  /// Watches the parent for the folder's removal, because a removed folder reports nothing while a file in it is open.
  init?(_ folder: String, _ files: Set<String>) {
    self.files = files
    let parent = Folder.parent(of: folder)
    // For `/` and `.`, both watches would be the same one, so its events would be ambiguous.
    guard parent != folder else { return nil }
    name = String(folder[(folder.lastIndex(of: "/").map(folder.index(after:)) ?? folder.startIndex)...])
    descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    guard descriptor >= 0 else { return nil }
    parentWatch = inotify_add_watch(descriptor, parent, Self.ends)
    if parentWatch < 0
      || inotify_add_watch(descriptor, folder, files.isEmpty ? Self.changes : Self.writes) < 0
    {
      close(descriptor)
      return nil
    }
  }

  func source(on queue: DispatchQueue) -> any DispatchSourceRead {
    DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
  }

  /// Reads the pending events, which would otherwise be reported again. Ignores removals of the folder's siblings.
  func take(from source: any DispatchSourceProtocol) -> FolderNews {
    let alignment = MemoryLayout<inotify_event>.alignment
    return withUnsafeTemporaryAllocation(byteCount: Self.eventBytes, alignment: alignment) { buffer in
      let count = read(descriptor, buffer.baseAddress, buffer.count)
      var (start, news) = (0, FolderNews.none)
      while start + MemoryLayout<inotify_event>.size <= count {
        let event = buffer.load(fromByteOffset: start, as: inotify_event.self)
        start += MemoryLayout<inotify_event>.size
        let text = buffer[start..<start + Int(event.len)].prefix { $0 != 0 }
        start += Int(event.len)
        if event.wd != parentWatch {
          if news == .none, isNews(event, text) { news = .change }
        } else if text.elementsEqual(name.utf8) {
          news = .end
        }
      }
      return news
    }
  }

  /// Lost events (a queue overflow) count as changes.
  private func isNews(_ event: inotify_event, _ name: some Sequence<UInt8>) -> Bool {
    files.isEmpty || event.mask & UInt32(IN_Q_OVERFLOW) != 0
      || files.contains(String(decoding: Array(name), as: UTF8.self))
  }
}
#endif
