/// What is wrong with the configuration; always the operator's to mend.
struct ConfigurationError: Error, Hashable {
  /// A file, an option or an environment variable.
  let source: String
  /// The dotted path of the key, where it is about one.
  let path: String
  /// What was expected and what was found, without the full stop.
  let problem: String

  init(_ source: String, path: String = "", _ problem: String) {
    self.source = source
    self.path = path
    self.problem = problem
  }

  /// One sentence.
  var message: String {
    let parts = [source.printable, path.printable, problem].filter { !$0.isEmpty }
    return parts.joined(separator: ": ") + (problem.hasSuffix("?") ? "" : ".")
  }
}
