import SeedFormat
import SeedSystem

extension Command {
  static let manual = Command(
    name: "manual", abstract: "Write the manual pages.",
    discussion: """
      Writes a page for each command into man1, and one for each configuration file into man5. Both folders are made \
      where they are missing, and older pages of the same names are replaced. The Debian package installs these pages.
      """,
    options: [
      .value(
        "to", "folder", isRequired: true, help: "The folder above man1 and man5, such as ~/.local/share/man."),
      .json,
    ],
    examples: [("seedbank manual --to ~/.local/share/man", "Read them with 'man seedbank'.")]
  ) { arguments, context in
    let folder = try arguments.requiredPath("to", from: context.currentDirectory)
    let pages = ManualPage.all(of: CommandGroup.all)
    for page in pages { try write(page, below: folder) }
    try context.console.result(
      ["folder": .string(folder), "pages": JSONValue(strings: pages.map(\.file))],
      "\(pages.count) pages are in \(folder.printable).")
  }

  private static func write(_ page: ManualPage, below folder: String) throws(FileError) {
    let path = "\(folder)/\(page.file)"
    try Folder.create(Folder.parent(of: path))
    try DurableFile.write(Array(page.text.utf8), to: path)
  }
}
