import Foundation
import SeedPublisher
import Support
import Testing

/// The examples of the README and the articles in the compiler settings that apps have.
@Suite struct FourSettingsTests {
  enum Setting: String, CaseIterable {
    case swift6 = "-swift-version 6"
    case mainActor = """
      -swift-version 6 -default-isolation MainActor \
      -enable-upcoming-feature MemberImportVisibility
      """
    case nonsending = "-swift-version 6 -enable-upcoming-feature NonisolatedNonsendingByDefault"
    case swift5 = "-swift-version 5"

    var options: [String] { rawValue.split(separator: " ").map(String.init) }
  }

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(
    arguments: Stage.pick(
      quick: [Setting.mainActor, .swift5], full: Setting.allCases, deep: Setting.allCases))
  func `the README's program compiles without a warning`(_ setting: Setting) throws {
    try write(Readme.block("swift", containing: "import SeedClient"), to: "main.swift")
    var rows = RowTypes()
    let types = try rows.declarations(ofSchema: Self.schema).joined(separator: "\n")
    try write(Article.models().replacing("transit", with: "my") + types, to: "SeedModels.swift")
    try write(Self.keeper, to: "Keeper.swift")
    try check(["main.swift", "SeedModels.swift", "Keeper.swift"], setting)
  }

  /// Uses the model outside of the main actor.
  private static let keeper = """
    import SeedClient

    actor Keeper {
      let model = SeedModel.my
      func isSame(_ other: SeedModel) -> Bool { other == .my }
    }
    """

  /// The README's table, and names that Swift rejects.
  private static let schema = """
    CREATE TABLE shop(id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE "opening hours"("shop id" INTEGER PRIMARY KEY, "2nd" TEXT, "default" TEXT, at DATE, photo BLOB);
    CREATE TABLE string(a TEXT, b REAL, PRIMARY KEY(a, b));
    CREATE VIEW "open now" AS SELECT "shop id", 1 + 1 AS two FROM "opening hours";
    """

  @Test(arguments: Stage.pick(quick: [Setting.mainActor], full: Setting.allCases, deep: Setting.allCases))
  func `the articles' examples compile without a warning`(_ setting: Setting) throws {
    let articles = ["Client", "Recipes", "Testing"]
    for name in articles { try write(Article(name).source, to: "\(name).swift") }
    try write(Article.models(), to: "SeedModels.swift")
    try write(Self.screen, to: "Screen.swift")
    let files = (articles + ["SeedModels", "Screen"]).map { "\($0).swift" }
    let sqlite = ["-I", "\(Readme.package)/Examples/timetable/Sources/SQLite"]
    try check(files + ["-parse-as-library", "-module-name", "articles"] + sqlite, setting)
  }

  @Test func `an app's file gets no short names of the library`() throws {
    let foreign = [
      "Version", "Series", "Lifecycle", "Epoch", "Limits", "InvalidName", "JSONError", "MalformedJSON",
      "DatasetName", "ModelVersion", "SHA256Digest",
    ]
    let exported = ["SeedValue", "SeedVersion", "SeedSeries", "SeedLifecycle"]
    let names = (foreign + exported).map { "_ = \($0).self\n" }.joined()
    try write("import SeedClient\n\n\(names)", to: "main.swift")
    let failure = #expect(throws: Tool.Failure.self) { try check(["main.swift"], .swift6) }
    let output = failure?.output ?? ""
    let unseen = (foreign + exported).filter { output.contains("cannot find '\($0)' in scope") }
    #expect(unseen == foreign, "\(output)")
  }

  /// A screen that calls the examples with its own closures.
  private static let screen = """
    import SeedClient

    @MainActor final class Screen {
      var stops: [Stop] = []
      var label = ""

      func show(_ seeds: SeedStore) async throws {
        try await follow(seeds) { self.stops = $0 }
        try await countStops(seeds) { self.label = "\\($0)" }
        _ = try await update(seeds) { text, _ in self.label = text }
      }

      func start(_ seeds: SeedStore) {
        Task {
          do {
            try await seeds.keepUpdated { self.label = $0.message }
          } catch { self.label = SeedError(error).code.description }
        }
      }
    }
    """

  private func check(_ words: [String], _ setting: Setting) throws {
    try BuiltModules.compile(
      ["-typecheck", "-warnings-as-errors"] + setting.options + words, in: folder.path)
  }

  private func write(_ text: String, to file: String) throws {
    try folder.write(text, to: file)
  }
}
