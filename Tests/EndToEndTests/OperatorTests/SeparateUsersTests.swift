import Foundation
import SeedFormat
import SeedSystem
import Support
import Testing

/// Publisher and front as two users, as in the systemd units and the compose file.
@Suite struct SeparateUsersTests {
  let deployment: OperatedDeployment

  init() throws { deployment = try OperatedDeployment() }

  private func mode(_ path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return try #require(attributes[.posixPermissions] as? Int)
  }

  private func all(below folder: String) throws -> [String] {
    try [folder] + FileManager.default.subpathsOfDirectory(atPath: folder).map { "\(folder)/\($0)" }
  }

  @Test func `another user can read the publication and no key`() throws {
    let mirror = deployment.folder("mirror")
    try deployment.name(mirrors: [["folder": .string(mirror)]])
    func run(_ script: String) throws {
      try Tool.run(["sh", "-ec", script, SeedbankBinary.path], in: deployment.folder.path)
    }
    try run("rm -rf seedbank/publication/facts; mkdir -m 755 mirror; umask 0077; exec \"$0\" regenerate")
    try deployment.origin("UPDATE shop SET name = 'new' WHERE id = 1")
    // Steps close a state folder that others may read, and make the files and folders that they publish readable.
    try run("umask 0077; chmod 755 seedbank/state; exec \"$0\" regenerate --snapshot")
    let published = try all(below: deployment.folder("seedbank/publication")) + all(below: mirror)
    let (locks, files) = (
      published.filter { $0.hasSuffix(".lock") }, published.filter { !$0.hasSuffix(".lock") }
    )
    for path in files {
      let rights = Folder.isFolder(path) ? 0o005 : 0o004
      #expect(try mode(path) & rights == rights, "\(path)")
    }
    // Any user that can open a lock could hold it.
    #expect(!locks.isEmpty)
    for path in try locks + all(below: deployment.folder("seedbank/keys")) {
      #expect(try mode(path) & 0o077 == 0, "\(path)")
    }
    #expect(try mode(deployment.folder("seedbank/state")) & 0o077 == 0)
  }

  @Test func `an edited configuration keeps its readers, and a link to it stays a link`() throws {
    let (file, own) = (deployment.folder("seedbank/my/dataset.json"), deployment.folder("own.json"))
    let script =
      "chmod 640 \"$1\"; mv \"$1\" \"$2\"; ln -s \"$2\" \"$1\"; umask 077; exec \"$0\" model deprecate 1"
    try Tool.run(["sh", "-ec", script, SeedbankBinary.path, file, own], in: deployment.folder.path)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: file) == own)
    #expect(try mode(own) == 0o640)
    #expect(try String(contentsOfFile: own, encoding: .utf8).contains("\"deprecated\""))
  }

  @Test func `a front needs the configuration and the publication, and writes nothing`() throws {
    let folder = try TemporaryFolder()
    for name in ["seedbank.json", "my", "publication"] {
      try Tool.run(["cp", "-a", deployment.folder("seedbank/\(name)"), folder.path])
    }
    try Tool.run(["rm", "-f", folder("publication/.lock")])
    let before = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    let output = try TemporaryFolder()
    let front = try RunningSeedbank(
      ["serve", "--config", folder("seedbank.json"), "--port", "0"], in: output.path)
    let client = try RawClient(port: front.port)
    #expect(try client.get("/readyz").status == 200)
    #expect(try client.get("/v1/my/changes?model=1.0&since=1").status == 200)
    #expect(front.stop() == 0)
    #expect(try FileManager.default.subpathsOfDirectory(atPath: folder.path) == before)
  }

  @Test func `followers in containers have no key, and the proxy lists each of them`() throws {
    let script = """
      import subprocess, sys, yaml
      services = yaml.safe_load(open(sys.argv[1]))["services"]
      followers = [service for name, service in services.items() if name.startswith("follower")]
      print(len(followers), {f["volumes"][0] for f in followers}, len({f["volumes"][1] for f in followers}))
      print({f["user"] for f in followers} & {services["publisher"]["user"]})
      program = services["proxy"]["command"][2].split(" > ")[0].replace("/etc/nginx/seedbank.conf", sys.argv[2])
      changed = subprocess.run(["sh", "-c", program], capture_output=True, text=True, check=True).stdout
      print([line.strip() for line in changed.splitlines() if "8080" in line])
      print(" ".join(followers[0]["command"]))
      """
    let answer = try Tool.run([
      Tool.python, "-c", script, "\(Readme.package)/docker/followers.yaml",
      "\(Readme.package)/docker/nginx.conf",
    ])
    #expect(
      answer == """
        2 {'./data/root.json:/root.json:ro'} 2
        set()
        ['server follower-1:8080 max_fails=0; server follower-2:8080 max_fails=0;']
        follow http://publisher:8080 --root /root.json --to /copy/published --serve --host ::

        """)
  }

  @Test func `in the containers, the front is another user without keys, behind the documented proxy`() throws
  {
    let script = """
      import subprocess, sys, yaml
      services = yaml.safe_load(open(sys.argv[1]))["services"]
      proxy, front, publisher = services["proxy"], services["front"], services["publisher"]
      print(all(v.endswith(":ro") for v in front["volumes"]), "key" in str(front["volumes"]))
      print(publisher["user"] != front["user"], publisher.get("ports"))
      program = proxy["command"][2].split(" > ")[0].replace("/etc/nginx/seedbank.conf", sys.argv[2])
      changed = subprocess.run(["sh", "-c", program], capture_output=True, text=True, check=True).stdout
      print([line.strip() for line in changed.splitlines() if "8080" in line])
      print(proxy["profiles"], "profiles" in front, proxy["depends_on"]["front"]["condition"])
      print("healthcheck" in front, publisher["healthcheck"])
      """
    let answer = try Tool.run([
      Tool.python, "-c", script, "\(Readme.package)/docker/compose.yaml",
      "\(Readme.package)/docker/nginx.conf",
    ])
    #expect(
      answer == """
        True False
        True None
        ['server front:8080;']
        ['proxy'] False service_healthy
        False {'disable': True}

        """)
  }
}
