/// The database server that was read, of several that may answer to one address.
package struct OriginServer: Hashable, Sendable {
  package enum Role: String, Sendable {
    case primary, standby
  }

  /// For the operator alone.
  package let name: String
  package let role: Role

  package init(name: String, role: Role) { (self.name, self.role) = (name, role) }
}
