import SeedFormat

struct ManualPage {
  let name: String
  let section: Int
  /// What `whatis` shows: without a capital and a full stop.
  let purpose: String
  let body: [String]

  /// Below the folder of all manual pages.
  var file: String { "man\(section)/\(name).\(section)" }

  /// Lines are neither filled up nor hyphenated, so that what is to be typed can be copied.
  var text: String {
    let head = [
      ".TH \(Roff.text(name.uppercased())) \(section) \"\" \"Seedbank \(Release.version)\" Seedbank", ".nh",
      ".ad l",
      ".SH NAME", "\(Roff.text(name)) \\- \(Roff.text(purpose))",
    ]
    return (head + body).joined(separator: "\n") + "\n"
  }

  static func all(of groups: [CommandGroup]) -> [ManualPage] {
    [overview(of: groups)] + groups.flatMap(\.commands).map(ManualPage.init) + [
      ManualPage(
        settingsOf: DeploymentConfiguration.self, name: "seedbank.json",
        purpose: "configuration of a Seedbank deployment",
        introduction: """
          The file \(DeploymentConfiguration.fileName) describes a deployment: where its files lie, how it is \
          served, and the names of its datasets. Beside it lies a folder for each dataset, with a dataset.json \
          and the models.
          """),
      ManualPage(
        settingsOf: DatasetConfiguration.self, below: "datasets.name.", name: "seedbank-dataset.json",
        purpose: "configuration of a Seedbank dataset",
        introduction: """
          The file \(DatasetConfiguration.fileName) in a dataset's folder says where the data comes from, and how \
          it is published. A variable's NAME is the dataset's.
          """),
    ]
  }

  /// The lines of a section that names other pages.
  static func seeAlso(_ pages: [String]) -> [String] {
    let names = pages.map { page in
      let parts = page.split(separator: "(")
      return "\(Roff.bold(String(parts[0])))(\(parts[1])"
    }
    return Roff.section("SEE ALSO", [names.joined(separator: ", ")])
  }
}
