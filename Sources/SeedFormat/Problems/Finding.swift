/// One finding of an examination of a publication or a store.
package struct Finding: Hashable, Sendable {
  package enum Severity: String, Sendable, CaseIterable {
    /// Clients get wrong data or none.
    case error
    /// The data is sound, but an error will follow unless the operator acts.
    case warning
    case note
  }

  package let severity: Severity
  /// The file, relative to the examined folder if it is within.
  package let path: String
  package let problem: String
  package let remedy: String

  package init(_ severity: Severity, _ path: String, _ problem: String, remedy: String) {
    (self.severity, self.path, self.problem, self.remedy) = (severity, path, problem, remedy)
  }
}

extension [Finding] {
  package var areSound: Bool { !contains { $0.severity == .error } }

  /// Sorted by severity, stably.
  package var worstFirst: [Finding] {
    Finding.Severity.allCases.flatMap { severity in filter { $0.severity == severity } }
  }
}
