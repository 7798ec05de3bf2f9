import SeedSystem
import Support
import Testing

@Suite struct PathsTests {
  @Test(arguments: [
    ("a", "/d", "/d/a"), ("./a/", "/d", "/d/a"), ("/a//b/.", "/d", "/a/b"), ("../a", "/no", "/no/../a"),
    (".", "/d", "/d"), ("a", "/", "/a"), (".hidden", "/d", "/d/.hidden"),
  ])
  func `a relative path becomes absolute`(path: String, directory: String, absolute: String) {
    #expect(Paths.absolute(path, from: directory) == absolute)
  }

  @Test(arguments: [
    ("../a", "/d/e", "/d/a"), ("../../a", "/d/e", "/a"), ("/../a", "/d", "/a"), ("../..", "/d/e", "/"),
    ("link/../a", "/d", "/d/link/../a"), ("link/../../a", "/d", "/d/link/../../a"),
    ("b/../a", "/d", "/d/b/../a"),
  ])
  func `two dots remove a directory that exists and stay after a link`(
    path: String, directory: String, absolute: String
  ) {
    let found = Paths.absolute(path, from: directory) { ["/", "/d", "/d/e"].contains($0) }
    #expect(found == absolute)
  }

  @Test(arguments: [
    ("/d/a/b", "/d", "a/b"), ("/d", "/d", "."), ("/data", "/d", "/data"), ("/x", "/d", "/x"),
    ("/a", "/", "a"),
  ])
  func `a path inside a folder becomes relative to it`(path: String, directory: String, relative: String) {
    #expect(Paths.relative(path, to: directory) == relative)
  }

  @Test(arguments: [("/a/b", "/a"), ("/a", "/"), ("/", "/")])
  func `the parent of a path is its folder`(path: String, folder: String) {
    #expect(Folder.parent(of: path) == folder)
  }
}
