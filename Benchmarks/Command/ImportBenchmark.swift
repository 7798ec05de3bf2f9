import Foundation

struct ImportBenchmark {
  private let options: Options
  private let report: Report

  init(_ options: Options) {
    self.options = options
    report = Report(isJSON: options.isJSON)
  }

  func run() throws {
    report.say(
      "All targets in one temporary folder, journal WAL, synchronous NORMAL. Medians of \(options.runs) runs."
    )
    for workload in options.workloads {
      try inFolder { folder in try run(workload, folder) }
    }
    for pair in options.pairs {
      try inFolder { folder in report.pair(pair, try pair.run(folder, runs: options.runs)) }
    }
    if options.measuresMemory {
      try inFolder { folder in report.memory(try MemoryWorkload(options.isQuick).run(folder)) }
    }
  }

  private func run(_ workload: any Workload, _ folder: String) throws {
    for phase in Phase.allCases {
      try DatasetWriter(workload, WorkloadFiles(folder, ""), phase).write(workload)
    }
    let contenders = options.contenders.filter { $0.takes(workload) }
    var results: [Result] = []
    for contender in contenders { results.append(contentsOf: try run(contender, workload, folder)) }
    report.add(workload, results)
  }

  private func run(_ contender: Contender, _ workload: any Workload, _ folder: String) throws -> [Result] {
    var results = Phase.allCases.map { Result(workload.name, contender.name, $0) }
    for run in 0...options.runs {
      // The first run counts and verifies, and warms the documents' pages for the others.
      for (index, phase) in Phase.allCases.enumerated() {
        let request = MeasurementRequest(workload.name, contender.name, folder, phase, isCheck: run == 0)
        results[index].add(try ChildProcess.measure(request.arguments), isCheck: run == 0)
      }
    }
    WorkloadFiles(folder, contender.name).removeTarget()
    return results
  }
}
