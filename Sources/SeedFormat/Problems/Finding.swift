/// One thing that an examination of a publication or of a store found.
package struct Finding: Hashable, Sendable {
  /// How much it matters.
  package enum Severity: String, Sendable, CaseIterable {
    /// Somebody gets wrong data, or none.
    case error
    /// The data is sound, what stands behind it is not: it will become an error unless someone acts.
    case warning
    /// Worth knowing.
    case note
  }

  package let severity: Severity
  /// The file, within what was examined where it is a part of it.
  package let path: String
  /// One sentence.
  package let problem: String
  /// A command or an action.
  package let remedy: String

  package init(_ severity: Severity, _ path: String, _ problem: String, remedy: String) {
    (self.severity, self.path, self.problem, self.remedy) = (severity, path, problem, remedy)
  }
}

extension [Finding] {
  /// No finding is an error.
  package var areSound: Bool { !contains { $0.severity == .error } }

  /// The worst first; those of the same severity stay in their order.
  package var worstFirst: [Finding] {
    Finding.Severity.allCases.flatMap { severity in filter { $0.severity == severity } }
  }
}
