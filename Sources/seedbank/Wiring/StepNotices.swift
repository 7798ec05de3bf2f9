import SeedFormat
import SeedPublication
import SeedPublisher
import SeedSystem

/// Notices about steps.
struct StepNotices: Sendable {
  private let notices: Notices
  private let history: StepHistory

  init(_ configuration: DeploymentConfiguration, _ context: Context) {
    let folder = Folder.parent(of: configuration.file)
    let commands = configuration.notices.map {
      ($0, NoticeCommand($0, $1, in: folder, context.environment))
    }
    notices = Notices(Dictionary(uniqueKeysWithValues: commands)) { [console = context.console] in
      console.tell($0)
    }
    history = StepHistory(configuration.state)
  }

  /// Runs the `on.published` program if the step published anything; blocks until it exits.
  func tell(_ step: StepReport, of dataset: DatasetName) {
    let news = step.series.filter(\.hasNews)
    guard !news.isEmpty else { return }
    notices.tell(.published, ["dataset": .string(dataset.text), "series": .array(news.map(\.json))])
  }

  /// Runs the program for failures unless the previous step failed in the same way; blocks until it ends.
  func tell(_ error: any Error, of dataset: DatasetName) {
    guard notices.has(.failed), !Publisher.isNoStep(error), !isRepeated(error, dataset) else { return }
    notices.tell(.failed, ["dataset": .string(dataset.text), "error": FailureReport(error).json])
  }

  /// The history has the error's description, or its message if the step could not begin.
  private func isRepeated(_ error: any Error, _ dataset: DatasetName) -> Bool {
    guard let newest = (try? history.newest(1, of: dataset))?.first, let text = newest.error else {
      return false
    }
    return newest.times > 1 && ["\(error)", FailureReport(error).message].contains(text)
  }

  func end() { notices.end() }
}
