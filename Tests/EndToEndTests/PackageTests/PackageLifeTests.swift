import Foundation
import SeedSystem
import Support
import Testing

@Suite struct PackageLifeTests {
  /// Seconds, including a cold build of the program.
  private static let patience: TimeInterval = 3600

  @Test(
    .enabled(
      if: Stage.isDeep, "it builds the program and three systems, which takes minutes: Scripts/test --deep"))
  func `package, archive and image install, run and uninstall without removing data`() throws {
    let outcome = try TestProgram.run(
      ["\(Readme.package)/Scripts/try-package"], joined: true, within: Self.patience)
    let isRight = outcome.status == 0 && outcome.output.hasSuffix("== All tests of the packages passed\n")
    #expect(isRight, "\(outcome.output)")
  }

  @Test func `try-package runs the commands of each section of the article`() throws {
    let article = try String(
      contentsOfFile: "\(Readme.package)/Sources/seedbank/seedbank.docc/Installing.md", encoding: .utf8)
    let script = try String(contentsOfFile: "\(Readme.package)/Scripts/try-package", encoding: .utf8)
    let headings = article.components(separatedBy: "\n## ").dropFirst().filter { $0.contains("\n```sh\n") }
      .map { String($0.prefix { $0 != "\n" }) }
    #expect(!headings.isEmpty)
    for heading in headings {
      let calls = ["commands_below '\(heading)'", "commands_below \(heading)"]
      #expect(calls.contains { script.contains($0) }, "no step types what stands below \(heading)")
    }
  }

  @Test(arguments: [["--revision"], ["--revision", "a b"], ["--revision", ""], ["--to", "x"]])
  func `the package script rejects wrong arguments`(arguments: [String]) throws {
    let failure = try #require(throws: Tool.Failure.self) {
      try Tool.run(["\(Readme.package)/Scripts/package"] + arguments)
    }
    #expect(failure.status == 64 && failure.output.hasPrefix("usage: Scripts/package"))
  }

  @Test func `the package script names all missing programs before it builds`() throws {
    let path = try TemporaryFolder()
    try Tool.run(["sh", "-ec", "ln -s $(command -v bash) $(command -v dirname) \"$0\"", path.path])
    let failure = try #require(throws: Tool.Failure.self) {
      try Tool.run(["\(Readme.package)/Scripts/package"], environment: ["PATH": path.path])
    }
    #expect(failure.status == 69 && failure.output.hasPrefix("Scripts/package: swift git "))
    #expect(failure.output.contains(" readelf strip awk tar gzip: not found; 'Scripts/deps --package'"))
  }

  @Test func `the package script names missing packages of headers before it builds`() throws {
    let path = try TemporaryFolder()
    let script = """
      cd "$0"
      ln -s $(command -v bash) $(command -v dirname) .
      for name in swift git dpkg dpkg-deb dpkg-shlibdeps help2man readelf strip awk tar gzip; do ln -s /bin/false $name; done
      printf '#!/bin/bash\\n[[ $* == *libpq-dev ]] || echo "ii "' > dpkg-query
      chmod +x dpkg-query
      """
    try Tool.run(["sh", "-ec", script, path.path])
    let failure = try #require(throws: Tool.Failure.self) {
      try Tool.run(["\(Readme.package)/Scripts/package"], environment: ["PATH": path.path])
    }
    #expect(failure.status == 69 && failure.output.hasPrefix("Scripts/package: libpq-dev: not found; "))
  }

  @Test func `the package's shared libraries are on the image's list of packages`() throws {
    let list = try Tool.run(["\(Readme.package)/Scripts/deps", "--list", "run"]).split(separator: "\n")
    let loaded = try Tool.run(["ldd", SeedbankBinary.path])
    for (library, package) in [
      ("libsqlite3.so.0", "libsqlite3-0"), ("libmicrohttpd.so.12", "libmicrohttpd12"),
      ("libpq.so.5", "libpq5"), ("libz.so.1", "zlib1g"),
      ("liblzma.so.5", "liblzma5"), ("libcrypto.so.3", "libssl3"), ("libcurl.so.4", "libcurl4"),
      ("libarchive.so.13", "libarchive13"),
    ] {
      #expect(loaded.contains(library) && list.contains(Substring(package)), "\(library)")
    }
  }
}
