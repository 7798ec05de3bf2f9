package import SeedFormat

/// The differences between the models on disk and those that a running process has loaded.
package struct ModelDrift: Hashable, Sendable {
  /// Loaded models whose files are changed or missing, although their majors are not retired.
  package let changed: [ModelVersion]
  /// Models of active majors that are not loaded.
  package let added: [ModelVersion]

  /// Ignores models of retired majors, because they are not published any more.
  package init(from held: [ModelDefinition], to found: [ModelDefinition], retired: Set<Int>) {
    func active(_ models: [ModelDefinition]) -> [ModelDefinition] {
      models.filter { !retired.contains($0.version.major) }
    }
    let known = Set(held.map(\.version))
    changed = active(held).filter { !found.contains($0) }.map(\.version)
    added = active(found).map(\.version).filter { !known.contains($0) }
  }

  /// Why the loaded models must not be published, or `nil` if they may. Additional models are no obstacle.
  package func obstacle(_ dataset: DatasetName) -> PlanError? {
    guard !changed.isEmpty else { return nil }
    return PlanError(
      "the files of \(Self.names(changed)) are changed or gone since 'seedbank run' was started: restart it, or put them back;"
        + " 'seedbank model retire' ends a major. Until then nothing new is published of \(dataset)")
  }

  package var remark: String? {
    guard !added.isEmpty else { return nil }
    return
      "\(Self.names(added)) \(added.count == 1 ? "has" : "have") come since 'seedbank run' was started: restart it to"
      + " publish \(added.count == 1 ? "it" : "them")"
  }

  private static func names(_ models: [ModelVersion]) -> String {
    "model \(models.map(\.description).joined(separator: ", "))"
  }
}
