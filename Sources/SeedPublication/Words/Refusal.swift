/// Why a request of the operator is refused: a sentence with the found and the expected value, and the remedy.
package struct Refusal: Error, Hashable {
  package enum Kind: Sendable { case usage, badData, unavailable, locked, configuration }

  package let kind: Kind
  package let message: String

  package init(_ kind: Kind, _ message: String) { (self.kind, self.message) = (kind, message) }
}
