import Foundation
import Support
import Testing

@Suite struct CrowdArticleTests {
  @Test func `the article's tables are those that Scripts/crowd prints`() throws {
    let article = try OperatorArticle("AMillionDevices").text.components(separatedBy: "\n")
    let printed = try Tool.run(["\(Readme.package)/Scripts/crowd", "--tables"])
    let lines = printed.split(separator: "\n").map(String.init)
    #expect(lines.count > 12)
    let missing = lines.filter { !article.contains($0) }
    #expect(missing == [], "Scripts/crowd --tables prints them")
  }
}
