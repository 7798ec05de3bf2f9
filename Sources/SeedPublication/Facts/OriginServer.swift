package struct OriginServer: Hashable, Sendable {
  package enum Role: String, Sendable {
    case primary, standby
  }

  /// Only for the operator.
  package let name: String
  package let role: Role

  package init(name: String, role: Role) { (self.name, self.role) = (name, role) }
}
