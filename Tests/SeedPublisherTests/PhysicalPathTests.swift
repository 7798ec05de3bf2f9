import SeedPublisher
import Support
import Testing

@Suite struct PhysicalPathTests {
  @Test(arguments: [
    ("/h/me/my.db", "/h/me/seedbank/my", "/h/me/seedbank/my/../../my.db"),
    ("/h/me/seedbank/my.db", "/h/me/seedbank/my", "/h/me/seedbank/my/../my.db"),
    ("/h/me/seedbank/my/my.db", "/h/me/seedbank/my", "/h/me/seedbank/my/my.db"),
    ("/data/my.db", "/h/me/seedbank/my", "/data/my.db"),
  ])
  func `an origin's path is relative to the dataset's folder if both are in one home`(
    file: String, folder: String, path: String
  ) {
    let joined = PhysicalPath.joining(file, through: folder)
    #expect(joined == path)
  }
}
