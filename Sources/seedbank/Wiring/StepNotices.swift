import SeedFormat
import SeedServer
import SeedSystem
import SeedTrust

/// What steps and signatures are told as notices.
extension Notices {
  func tell(_ report: StepReport) {
    for series in report.series where series.hasNews { tell(.published, series.json) }
  }

  /// A dataset that is held back is one that an operator must look at; any other error may pass.
  func tell(_ error: any Error, of dataset: DatasetName, in work: PublishingService.Work) {
    let failure = FailureReport(error)
    let topic = Self.topic(dataset, work)
    guard case PublicationError.shrunk(let found, _, _) = error else {
      let fact: JSONValue = [
        "dataset": .string(dataset.text), "work": .string("\(work)"), "error": failure.json,
      ]
      return tell(.failed, fact, once: .init(topic: topic, text: failure.message))
    }
    let series = found.sorted { $0.key < $1.key }.map { series, tables -> JSONValue in
      ["series": .string("\(series)"), "tables": .array(tables.map(\.json))]
    }
    let fact: JSONValue = [
      "dataset": .string(dataset.text), "series": .array(series), "message": .string(failure.message),
    ]
    tell(.held, fact, once: .init(topic: topic, text: failure.message))
  }

  func succeeded(_ dataset: DatasetName, in work: PublishingService.Work) {
    forget(Self.topic(dataset, work))
  }

  private static func topic(_ dataset: DatasetName, _ work: PublishingService.Work) -> String {
    "\(dataset) \(work)"
  }

  /// Once a day.
  func tell(_ standing: SignatureStanding, now: UTCTime) {
    guard !standing.expiring.isEmpty else { return }
    let day = String(now.text.prefix(10))
    tell(
      .expiring, ["warnings": JSONValue(strings: standing.expiring)],
      once: .init(topic: "signatures", text: day))
  }
}
