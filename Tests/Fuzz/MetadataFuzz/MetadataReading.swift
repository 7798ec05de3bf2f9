import SeedSystem
import SeedTrust

/// Metadata of any role must round-trip with its signed bytes.
func readAsMetadata(_ bytes: [UInt8]) {
  read(bytes, as: Root.self)
  read(bytes, as: Timestamp.self)
  read(bytes, as: SnapshotRole.self)
  read(bytes, as: Targets.self)
  precondition((try? TrustedMetadataSet(root: bytes, now: .distantPast)) == nil, "nobody signed this root")
}

private func read<Role: SignedRole>(_ bytes: [UInt8], as _: Role.Type) {
  guard let metadata = try? Metadata<Role>(parsing: bytes) else { return }
  let again = try? Metadata<Role>(parsing: metadata.bytes)
  precondition(again == metadata, "what was written reads back differently")
}
