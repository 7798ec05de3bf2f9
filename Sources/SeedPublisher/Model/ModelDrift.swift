package import SeedFormat

/// The differences between the models on disk and those that a running process has loaded.
package struct ModelDrift: Hashable, Sendable {
  /// Loaded models whose folders are missing, although their majors are not retired.
  package let gone: [ModelVersion]
  package let changed: [ModelVersion]
  /// Models of active majors that are not loaded.
  package let added: [ModelVersion]

  /// Ignores models of retired majors, because they are not published any more.
  package init(from held: [ModelDefinition], to found: [ModelDefinition], retired: Set<Int>) {
    func going(_ models: [ModelDefinition]) -> [ModelDefinition] {
      models.filter { !retired.contains($0.version.major) }
    }
    let now = Dictionary(found.map { ($0.version, $0) }) { first, _ in first }
    let known = Set(held.map(\.version))
    gone = going(held).map(\.version).filter { now[$0] == nil }
    changed = going(held).filter { now[$0.version] != nil && now[$0.version] != $0 }.map(\.version)
    added = going(found).map(\.version).filter { !known.contains($0) }
  }

  /// Why the loaded models must not be published, or `nil` if they may. Additional models are no obstacle.
  package func obstacle(_ dataset: DatasetName, publishedByOthers: [SeedSeries]) -> PlanError? {
    let words = words(publishedByOthers)
    return words.isEmpty ? nil : PlanError("\(words). Until then nothing new is published of \(dataset)")
  }

  package var remark: String? {
    guard !added.isEmpty else { return nil }
    return
      "\(Self.names(added)) \(added.count == 1 ? "has" : "have") come since 'seedbank run' was started: restart it to"
      + " publish \(added.count == 1 ? "it" : "them")"
  }

  private func words(_ publishedByOthers: [SeedSeries]) -> String {
    let parts: [String?] = [
      gone.isEmpty
        ? nil
        : "the folder of \(Self.names(gone)) is gone: put it back, or end its major with 'seedbank model retire \(gone[0].major)'",
      changed.isEmpty
        ? nil
        : "the files of \(Self.names(changed)) have changed since 'seedbank run' was started: restart it",
      publishedByOthers.isEmpty
        ? nil
        : "\(publishedByOthers.map(\.description).joined(separator: ", ")) was published by another process, with models that"
          + " 'seedbank run' has not read: restart it",
    ]
    return parts.compactMap(\.self).joined(separator: "; ")
  }

  private static func names(_ models: [ModelVersion]) -> String {
    "model \(models.map(\.description).joined(separator: ", "))"
  }
}
