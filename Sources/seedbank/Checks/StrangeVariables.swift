import SeedFormat
import SeedTrust

/// Variables of the environment that look like one of ours and are none.
///
/// Those that do not even look like one are let pass; see ``ConfigurationOverrides``.
struct StrangeVariables {
  let overrides: ConfigurationOverrides
  let known: [String]

  /// Letters by which a slip differs.
  private static let tolerance = 2

  init(_ overrides: ConfigurationOverrides, _ configuration: DeploymentConfiguration) throws {
    self.overrides = overrides
    let paths = try EffectiveConfiguration(configuration, overrides).entries.map(\.path)
    known =
      [ConfigurationFinder.variable] + KeyRole.allCases.map(KeySearch.variable)
      + paths.map(ConfigurationOverrides.variable)
  }

  /// Each with what was probably meant.
  var all: [(name: String, meant: String)] {
    let strangers = overrides.environment.keys.filter { $0.hasPrefix("SEEDBANK_") && !known.contains($0) }
    return strangers.sorted().compactMap { name in
      let meant = known.first { editDistance(Array(name), Array($0)) <= Self.tolerance }
      return meant.map { (name, $0) }
    }
  }
}
