import Foundation
import Support
import Testing

/// The article on backups, with a device that is ahead of the backup.
@Suite struct BackupTests {
  @Test
  func `a backup of a running deployment is restored elsewhere, and devices that are ahead follow`() throws {
    let article = try TypedArticle("Backup")
    try article.typeUntil("One device is ahead")
    try article.untilHead(2, of: "my")
    try article.typeUntil("Restore on another machine")
    article.closeTerminals()
    // Two timestamps with one number in the same second would be equal; a real restore takes longer.
    let end = Date().timeIntervalSince1970.rounded(.up)
    try waitUntil("the next second comes") { Date().timeIntervalSince1970 > end }
    try article.typeUntil("Both devices follow")
    try article.untilHead(1, of: "my")
    // A rehearsal cuts the copy off from the deployment's mirrors and programs.
    let others = #"{"mirrors": [{"folder": "../../nowhere"}], "on": {"published": ["./nothing"]},"#
    try article.type("sed -i 's#^{#\(others)#' new/seedbank/seedbank.json")
    try article.typeRest()
    let copied = try article.type("cat new/seedbank/seedbank.json")
    #expect(["mirrors", "published"].allSatisfy { !copied.contains($0) }, "\(copied)")
    let rows = try article.type(
      "sqlite3 $(ls -td phone/generations/*/seed.sqlite | head -1) 'SELECT name FROM shop'")
    #expect(rows == "White tea\n")
  }

  @Test(.full) func `a backup is consistent while steps publish continuously`() throws {
    let article = try TypedArticle("Backup")
    try article.typeUntil("The copy")
    let copy = try #require(article.article.typed.first { $0.heading == "The copy" }).text
    let writing = try article.typeAside(
      """
      while [ ! -e enough ]; do
        sqlite3 -cmd '.timeout 5000' my.sqlite "UPDATE shop SET name = 'Tea ' || random()"
        seedbank regenerate || [ $? = 75 ]
      done
      echo finished
      """)
    for round in 0..<5 {
      try article.untilHead(3 * round + 2, of: "my")
      try article.type(copy)
      let shown = try article.type(
        "rm -rf new && mkdir -p new/seedbank && tar -xpf backup.tar -C new/seedbank"
          + " && seedbank verify --config new/seedbank/seedbank.json")
      #expect(shown.hasSuffix("sound\n"), "\(shown)")
    }
    try article.type("touch enough")
    try writing.waits(for: "finished")
  }
}
