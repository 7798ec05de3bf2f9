enum BenchmarkError: Error, CustomStringConvertible {
  case usage(String)
  case sqlite(String, subject: String)
  case unexpected(String, in: String)
  case child(String)

  var description: String {
    switch self {
    case .usage(let problem):
      "\(problem)\nusage: Scripts/bench import [--json] [--quick] [--runs N] [--only WORKLOAD] [--contender NAME]"
        + "\n       Scripts/bench publish [--json] [--rows N] [--runs N] "
        + "[--only setup|log|feed|postgres|minor|merge|step|snapshot|build|blob] [--layout without-rowid|rowid]"
        + "\n       Scripts/bench publish [--json] [--rows N] [--minutes N] --only idle|long"
        + "\n       Scripts/bench client [--json] [--rows N] [--runs N] [--layout without-rowid|rowid] [--without-import]"
    case .sqlite(let message, let subject): "SQLite reports \"\(message)\" to: \(subject)"
    case .unexpected(let what, let place): "unexpected \(what) in \(place)"
    case .child(let request): "the measurement failed: \(request)"
    }
  }
}
