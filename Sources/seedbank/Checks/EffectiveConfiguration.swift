import SeedFormat

/// Every value that counts, and where it came from.
struct EffectiveConfiguration {
  /// One value.
  struct Entry {
    /// `datasets.transit.pollSeconds`: the path that also names its variable.
    let path: String
    let value: JSONValue
    /// A file, an option, a variable, or `default`.
    let source: String
  }

  let entries: [Entry]

  init(_ configuration: DeploymentConfiguration, _ overrides: ConfigurationOverrides) throws {
    var entries = try Self.entries(
      configuration.json(isComplete: true), ConfigurationPlace(file: configuration.file, overrides: overrides)
    )
    for dataset in configuration.datasets {
      let place = ConfigurationPlace(
        file: "\(dataset.folder)/\(DatasetConfiguration.fileName)", prefix: "datasets.\(dataset.name).",
        overrides: overrides)
      entries += try Self.entries(dataset.json(isComplete: true), place)
    }
    self.entries = entries
  }

  private static func entries(_ json: JSONValue, _ place: ConfigurationPlace) throws -> [Entry] {
    let written = try ConfigurationDocument.value(inFile: place.file)
    return leaves(json, at: place).map { place, value in
      let isWritten =
        place.path.split(separator: ".").reduce(written as JSONValue?) { $0?[String($1)] } != nil
      let source = place.override?.source ?? (isWritten ? place.file : "default")
      return Entry(path: place.prefix + place.path, value: value, source: source)
    }
  }

  private static func leaves(
    _ json: JSONValue, at place: ConfigurationPlace
  ) -> [(ConfigurationPlace, JSONValue)] {
    guard let members = json.members else { return [(place, json)] }
    return members.flatMap { leaves($0.value, at: place.member($0.name)) }
  }

  /// One line for each value.
  var text: String {
    entries.map { "\($0.path) = \($0.value.text)  (\($0.source))" }.joined(separator: "\n")
  }

  var json: JSONValue {
    [
      "values": .array(
        entries.map { ["path": .string($0.path), "value": $0.value, "source": .string($0.source)] })
    ]
  }
}
