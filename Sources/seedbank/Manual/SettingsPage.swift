import SeedFormat

extension ManualPage {
  init<File: SettingsFile>(
    settingsOf: File.Type, below prefix: String = "", name: String, purpose: String, introduction: String
  ) {
    let pages = ["seedbank.json(5)", "seedbank-dataset.json(5)"].filter { !$0.hasPrefix("\(name)(") }
    self.init(
      name: name, section: 5, purpose: purpose,
      body: Roff.section("DESCRIPTION", Roff.paragraphs("\(introduction)\n\n\(Self.form)"))
        + Roff.section("SETTINGS", File.settings.flatMap { Self.entry($0, prefix) })
        + Self.seeAlso(["seedbank(1)", "seedbank-config(1)"] + pages))
  }

  private static let form = """
    It is JSON. A name with a dot is a member of an object: http.port is the member port of http. Every object may hold a \
    member $comment for remarks; other names that are not listed here are errors. Relative paths start at the file's own \
    folder. An option of the command line stands above the variable of the same setting, and that above the file; lists \
    and objects stand in the file alone. 'seedbank config show' prints every value that counts, and where it comes from.
    """

  private static func entry<File: SettingsFile>(_ setting: Setting<File>, _ prefix: String) -> [String] {
    var facts = [Roff.marked(setting.type), "default: \(Roff.marked(setting.usualText))"]
    if setting.hasVariable {
      facts.append("variable: \(Roff.bold(ConfigurationOverrides.variable(for: prefix + setting.key)))")
    }
    return Roff.entry(Roff.bold(setting.key), Roff.marked(setting.meaning.closed))
      + facts.flatMap { [".br", $0] }
  }
}

extension Setting {
  /// Lists and objects have none.
  fileprivate var hasVariable: Bool {
    let usual = json(File.usual)
    return usual.elements == nil && usual.members == nil
  }
}
