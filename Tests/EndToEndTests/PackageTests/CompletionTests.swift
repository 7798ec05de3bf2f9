import Foundation
import SeedSystem
import Support
import Testing

@testable import seedbank

/// What a shell offers behind a half typed line.
@Suite struct CompletionTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    for shell in Shell.allCases {
      let script = try SeedbankBinary.run(["completions", shell.rawValue]).output
      try script.write(toFile: folder(shell.rawValue), atomically: false, encoding: .utf8)
    }
    try Tool.run(["mkdir", folder("work"), folder("work/a folder"), folder("bin")])
    try Data().write(to: URL(fileURLWithPath: folder("work/my.sqlite")))
    try Tool.run(["ln", "-s", SeedbankBinary.path, folder("bin/seedbank")])
  }

  /// The binary before all else.
  private var path: String { "\(folder("bin")):\(ProcessInfo.processInfo.environment["PATH"] ?? "")" }

  /// What bash offers for a line's last word, driven as readline drives it.
  private func bash(_ words: String...) throws -> [String] {
    let script = """
      source "$1"; shift
      COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
      $(complete -p seedbank | sed 's/.*-F \\([^ ]*\\) .*/\\1/') seedbank
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    let answer = try Tool.run(
      ["bash", "--norc", "-uc", script, "bash", folder("bash")] + words, in: folder("work"),
      environment: ["PATH": path])
    return answer.split(separator: "\n").map(String.init)
  }

  @Test func `bash offers commands, and the options that a command has`() throws {
    #expect(try bash("seedbank", "re") == ["regenerate", "ready", "recover"])
    #expect(try Set(bash("seedbank", "")) == Set(Command.all.map(\.name) + Command.overviewOptions))
    #expect(try bash("seedbank", "run", "--p") == ["--port", "--public"])
    for command in Command.all {
      let offered = try bash("seedbank", command.name, "--")
      #expect(Set(offered) == Set(command.allOptions.map(\.word)), "\(command.name)")
    }
  }

  @Test func `bash offers an option's choices, with and without an equals sign`() throws {
    #expect(try bash("seedbank", "import", "--format", "n") == ["ndjson"])
    #expect(try bash("seedbank", "import", "--format", "=") == ["json", "ndjson", "csv", "rejects"])
    #expect(try bash("seedbank", "import", "--format", "=", "c") == ["csv"])
    #expect(try bash("seedbank", "run", "--log-level", "w") == ["warning"])
  }

  @Test func `bash knows at which place an argument stands`() throws {
    #expect(try bash("seedbank", "config", "s") == ["show", "swift"])
    #expect(try bash("seedbank", "config", "--config", "x", "s") == ["show", "swift"])
    #expect(try bash("seedbank", "config", "--config", "=", "x", "--json", "ch") == ["check"])
    #expect(try bash("seedbank", "config", "show", "").isEmpty)
    #expect(try bash("seedbank", "keys", "renew", "ta") == ["targets"])
    #expect(try bash("seedbank", "keys", "rotate", "root", "sn") == ["snapshot"])
    #expect(try bash("seedbank", "help", "pul") == ["pull"])
    #expect(try bash("seedbank", "no-such-command", "").isEmpty)
  }

  @Test func `bash offers files and folders where paths stand`() throws {
    #expect(try bash("seedbank", "init", "m") == ["my.sqlite"])
    #expect(try bash("seedbank", "init", "--directory", "") == ["a folder"])
    #expect(try bash("seedbank", "init", "-d", "a") == ["a folder"])
    #expect(try bash("seedbank", "import", "one.json", "m") == ["my.sqlite"])
    #expect(try bash("seedbank", "import", "x", "--rows", "").isEmpty)
  }

  @Test func `bash offers the names of the deployment's datasets, and none where there is no deployment`()
    throws
  {
    #expect(try bash("seedbank", "status", "--dataset", "").isEmpty)
    let deployment = try DeploymentFolder()
    #expect(try bash("seedbank", "status", "--config", deployment.file, "--dataset", "") == ["transit"])
    #expect(try bash("seedbank", "status", "-c", deployment.file, "--dataset", "=", "t") == ["transit"])
    #expect(try bash("seedbank", "pull", "--dataset", "").isEmpty)
  }

  /// With models 1.0, 1.1 and 2.0 in one dataset, and 2.0 and 3.0 in another.
  private func twoDatasets() throws -> DeploymentFolder {
    let deployment = try DeploymentFolder(deployment: #"{"datasets": ["transit", "parks"]}"#)
    try deployment.write(#"{"origin": {"sqlite": "parks.sqlite"}}"#, to: "parks/dataset.json")
    for model in ["transit/models/1.1", "transit/models/2.0", "parks/models/2.0", "parks/models/3.0"] {
      try deployment.write("CREATE TABLE stop(id INTEGER PRIMARY KEY);", to: "\(model)/schema.sql")
    }
    return deployment
  }

  @Test func `bash offers majors and models of the deployment, each once, and only where they are its own`()
    throws
  {
    #expect(try bash("seedbank", "diff", "--series", "").isEmpty)
    let file = try twoDatasets()
    #expect(try bash("seedbank", "diff", "-c", file.file, "--series", "") == ["1", "2", "3"])
    #expect(try bash("seedbank", "rollback", "-c", file.file, "--series", "=", "2") == ["2"])
    #expect(
      try bash("seedbank", "config", "swift", "-c", file.file, "--model", "") == ["1.0", "1.1", "2.0", "3.0"])
    #expect(
      try bash("seedbank", "config", "swift", "-c", file.file, "--dataset", "") == ["transit", "parks"])
    // A client's data need not be of the deployment that lies here.
    #expect(try bash("seedbank", "pull", "--model", "").isEmpty)
  }

  @Test func `a deployment that cannot be read offers nothing, says nothing and does not wait`() throws {
    let deployment = try DeploymentFolder()
    try Tool.run(["sh", "-c", "rm '\(deployment.file)'; mkfifo '\(deployment.file)'"])
    for names in DeploymentNames.allCases {
      let outcome = try SeedbankBinary.run(["completions", names.rawValue, "--config", deployment.file])
      #expect(outcome.status == 0 && outcome.output.isEmpty && outcome.errors.isEmpty, "\(outcome)")
    }
  }

  @Test func `every value that help names is completed in one of the known ways, or known to be free`() {
    let free: Set = [
      "address", "as", "character", "count", "date", "hash", "json-path", "major", "major.minor", "name",
      "names",
      "number",
      "records", "rows", "seconds", "text", "time", "url", "version",
    ]
    for command in Command.all {
      for parameter in command.options.filter({ !$0.isFlag }) + command.arguments
      where Suggestion(parameter, of: command) == .nothing {
        #expect(free.contains(parameter.valueName ?? parameter.name), "\(command.name) \(parameter.word)")
      }
    }
  }

  private static func has(_ shell: String) -> Bool {
    Stage.isDeep || (try? Tool.run(["sh", "-c", "command -v \(shell)"])) != nil
  }

  @Test(.enabled(if: has("fish"), "fish is not here: Scripts/deps --package installs it"))
  func `fish takes the script and offers the same`() throws {
    func fish(_ line: String) throws -> [String] {
      let answer = try Tool.run(
        ["fish", "--no-config", "-c", "source $argv[1]; complete -C $argv[2]", folder("fish"), line],
        in: folder("work"), environment: ["PATH": path, "HOME": folder.path])
      return answer.split(separator: "\n").map { String($0.split(separator: "\t")[0]) }
    }
    try Tool.run(["fish", "--no-execute", folder("fish")])
    #expect(try Set(fish("seedbank re")) == ["ready", "recover", "regenerate"])
    #expect(try Set(fish("seedbank config s")) == ["show", "swift"])
    #expect(try !fish("seedbank keys renew st").contains("status"), "an action is no role")
    #expect(try !fish("seedbank keys ").contains("root"), "a role is no action")
    #expect(try fish("seedbank keys rotate root sn") == ["snapshot"])
    #expect(try Set(fish("seedbank import --format ")) == ["json", "ndjson", "csv", "rejects"])
    #expect(try Set(fish("seedbank run --p")) == ["--port", "--public"])
    #expect(try fish("seedbank init my").contains("my.sqlite"))
    #expect(try fish("seedbank init --directory a") == ["a folder/"])
    let deployment = try DeploymentFolder()
    #expect(try fish("seedbank status --config \(deployment.file) --dataset ") == ["transit"])
    #expect(try fish("seedbank diff --config \(deployment.file) --series ") == ["1"])
    #expect(try fish("seedbank config swift --config \(deployment.file) --model ") == ["1.0"])
  }

  @Test(.enabled(if: has("zsh"), "zsh is not here: Scripts/deps --package installs it"))
  func `zsh takes the script and offers the same`() throws {
    try Tool.run(["zsh", "-n", folder("zsh")])
    func expect(_ words: String..., of line: String) throws {
      let driver = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "zsh_completion.py")
        .path
      let shown = try Tool.run(
        [Tool.python, driver, folder("zsh"), line] + words, in: folder("work"),
        environment: ["PATH": path, "HOME": folder.path, "TERM": "dumb"])
      for word in words { #expect(shown.contains(word), "\(line): \(shown)") }
    }
    try expect("regenerate", "ready", of: "seedbank re")
    try expect("csv", "ndjson", "rejects", of: "seedbank import --format ")
    try expect("show", "swift", of: "seedbank config s")
    let deployment = try DeploymentFolder()
    try expect("transit", of: "seedbank status --config \(deployment.file) --dataset ")
    let two = try twoDatasets()
    try expect("1.0", "1.1", "2.0", "3.0", of: "seedbank config swift --config \(two.file) --model ")
  }
}
