import SeedClient

struct DownloadProgress: Sendable {
  private let console: Console
  private let display: ProgressDisplay

  init(_ console: Console) {
    self.console = console
    display = ProgressDisplay(console)
  }

  func tell(_ phase: UpdatePhase) {
    switch phase {
    case .downloading(let bytes, let total): display.tell("downloading", bytes, of: total)
    case .expanding(let bytes, let total): display.tell("expanding", bytes, of: total)
    case .applying(_, let bytes, let total): display.tell("applying", bytes, of: total)
    case .buildingIndexes: console.progress("building indexes")
    case .checking, .swapping, .finished: break
    }
  }
}
