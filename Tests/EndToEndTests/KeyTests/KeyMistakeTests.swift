import Foundation
import SeedDatabase
import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust
import Support
import Testing

@Suite struct KeyMistakeTests {
  private func output(_ scene: KeyScene, _ script: String) -> (status: Int32, text: String) {
    do {
      return (0, try scene.shell(script))
    } catch let failure as Tool.Failure {
      return (failure.status, failure.output)
    } catch {
      return (-1, "\(error)")
    }
  }

  private func expect(_ scene: KeyScene, _ script: String, _ status: Int32, _ words: String) {
    let found = output(scene, script)
    #expect(found.status == status && found.text.contains(words), "\(script): \(found)")
  }

  @Test func `a running publisher uses keys that are replaced while it runs`() throws {
    let scene = try KeyScene()
    let run = try RunningSeedbank(["run", "--port", "0"], in: scene.folder.path)
    try scene.shell(
      "seedbank keys rotate timestamp series --with \"$ROOT_A\" --with \"$ROOT_C\" --with \"$TARGETS\"")
    try Tool.sqlite(scene.folder("my.sqlite"), "UPDATE shop SET name = 'after' WHERE id = 1")
    try eventually("the next version is published") {
      run.errors.contains("version=2") ? true : nil
    }
    #expect(run.stop() == 0)
    try scene.everybodyFollows()
    #expect(try scene.shop("early") == "after\n")
  }

  @Test
  func `mistakes with keys are reported and change nothing, and a payload with a wrong id is not signed`()
    throws
  {
    let scene = try KeyScene()
    try scene.shell("seedbank keys new root --to \"$ROOT_NEW\" && mv \"$ROOT_NEW\"/root-*.pub new.pub")
    try scene.shell(
      "openssl genpkey -algorithm rsa -out rsa.pem && openssl pkey -in rsa.pem -pubout -out rsa.pub")
    let sticks = "--with \"$ROOT_A\" --with \"$ROOT_B\""
    let before = try Tool.run(["find", scene.folder("seedbank/publication"), "-type", "f"])
    for folders in ["", " --to \"$NEW_A\" --to \"$NEW_A\" --to \"$NEW_A\""] {
      expect(scene, "seedbank keys rotate root \(sticks)\(folders)", 64, "give each key its own folder")
    }
    expect(scene, "seedbank keys rotate root \(sticks) --key new.pub --key new.pub", 64, "different keys")
    expect(scene, "seedbank keys rotate root \(sticks) --key rsa.pub", 78, "expected an Ed25519 key")
    let tenKeys =
      "for i in {0..9}; do openssl genpkey -algorithm ed25519 | openssl pkey -pubout -out $i.pub; done"
    expect(scene, "\(tenKeys); seedbank keys rotate root $(printf ' --key %s' ?.pub)", 64, "at most 9")
    expect(scene, "seedbank keys rotate root --lost \(sticks) --to \"$NEW_A\"", 64, "omit --lost")
    expect(scene, "seedbank keys rotate root --lost --to \"$NEW_A\"", 64, "confirm with --yes")
    expect(scene, "seedbank keys rotate timestamp --count 1 --threshold 2", 64, "--threshold")
    let old = "seedbank keys rotate timestamp \(sticks) --key seedbank/keys/timestamp.key"
    expect(scene, old, 64, "already has exactly these keys")
    expect(scene, "seedbank keys renew root --with nowhere", 78, "expected a folder for keys")
    expect(scene, "seedbank keys renew root", 78, "must sign this change, but none is here")
    expect(scene, "seedbank keys revoke 4 \(sticks)", 64, "at least 8 digits")
    expect(scene, "seedbank keys revoke deadbeef \(sticks)", 78, "No current key, or more than one")
    expect(scene, "seedbank keys payload root", 78, "No root metadata waits")
    expect(scene, "seedbank keys renew", 64, "root or targets")
    expect(scene, "seedbank keys new series --to \"$NEW_A\" 2>&1", 0, "into the publisher's keys folder")
    expect(scene, "seedbank keys new root --to a --to b", 64, "the folder of one key")
    expect(scene, "seedbank keys add-signature s1 s2 s3 s4 s5 s6", 74, "Cannot open")
    expect(scene, "seedbank keys discard --with \"$ROOT_A\"", 64, "--with")
    let (only, third) = (try scene.keyID("seedbank/keys/series.key"), try scene.keyID("c/root-3.key"))
    for given in ["$ROOT_C/root-3.key", "$ROOT_B/root-2.key"] {
      expect(scene, "seedbank keys revoke \(third) \(sticks) --key \"\(given)\"", 64, "give a new one")
    }
    for folder in ["", " --to \"$ROOT_B\""] {
      let revoke = "seedbank keys revoke \(third) --replace \(sticks)\(folder)"
      expect(scene, revoke, 64, "2 root keys would be in")
    }
    expect(scene, "seedbank keys revoke \(only) --with \"$TARGETS\"", 78, "--replace")
    #expect(try Tool.run(["find", scene.folder("seedbank/publication"), "-type", "f"]) == before)
    #expect(try scene.shell("seedbank verify").hasSuffix("sound\n"))
    try expectDescription(ofPayloadIn: scene)
  }

  /// A payload is described with whole ids, and not signed if an id is not that of its key.
  private func expectDescription(ofPayloadIn scene: KeyScene) throws {
    try scene.shell("seedbank keys rotate series --prepare && seedbank keys payload targets > p")
    let payload = try JSONValue(parsing: DurableFile.read(scene.folder("p"), limit: 1 << 20))
    let delegations = try #require(payload["delegations"])
    let id = try #require(delegations["roles"]?.elements?.first?["keyids"]?.elements?.first?.string)
    let key = try #require(delegations["keys"]?[id]?["keyval"]?["public"]?.string)
    let sign = "seedbank keys sign p --key \"$TARGETS/targets.key\" 2>&1"
    #expect(try scene.shell(sign).contains("  my-1 (my/1/*): 1 of\n    \(id)\n"))
    try scene.shell("sed -i s/\(key)/\(key.dropLast())\(key.hasSuffix("0") ? "1" : "0")/ p")
    expect(scene, sign, 65, "Nothing was signed")
  }

  @Test
  func `a root key whose file is open to others signs with a warning, and pipes and openssl replace files`()
    throws
  {
    let scene = try KeyScene()
    let output = try scene.shell(
      """
      chmod 644 "$ROOT_A"/*.key
      seedbank keys renew root --with "$ROOT_A"
      seedbank keys payload root > p && seedbank keys sign <(cat p) --key <(cat "$ROOT_B/root-2.key") > s
      seedbank keys add-signature <(cat s)
      seedbank follow seedbank/publication --root <(cat seedbank/root.json) --to copy --once
      """)
    #expect(output.contains("other users can read the key: run chmod 600 on it"), "\(output)")
    // openssl takes the place of a hardware token.
    try scene.shell(
      """
      openssl genpkey -algorithm ed25519 -out token-key.pem
      openssl pkey -in token-key.pem -pubout -out token.pem
      seedbank keys rotate root --key token.pem --threshold 1 --with "$ROOT_A" --with "$ROOT_B"
      seedbank keys payload root > root.payload
      openssl pkeyutl -sign -rawin -inkey token-key.pem -in root.payload -out root.sig
      seedbank keys add-signature root.sig
      """)
    #expect(try scene.publication.published().root.version == 3)
    try scene.publish()
    try scene.everybodyFollows()
    let chain = try scene.shell(
      """
      seedbank keys new root --to "$NEW_A"
      seedbank keys rotate root --lost --yes --key "$NEW_A"/root-*.pub
      seedbank keys payload root > p && seedbank keys sign p --key "$NEW_A"/root-*.key > s
      seedbank keys add-signature s
      """)
    #expect(chain.contains("Ship \(scene.folder("seedbank/root.json")) with the next version"), "\(chain)")
  }

  @Test(.full) func `a pending change is reported, and an expired one is not published`() throws {
    let scene = try KeyScene()
    try scene.shell("seedbank keys renew root --with \"$ROOT_A\"")
    #expect(output(scene, "seedbank regenerate").text.contains("waits for signatures"))
    #expect(output(scene, "seedbank status").text.contains("waits for signatures"))
    expect(scene, "seedbank keys renew root --with \"$ROOT_B\"", 78, "add-signature")
    try scene.shell("seedbank keys payload root > p && seedbank keys sign p --key \"$ROOT_B/root-2.key\" > s")
    scene.days = 400
    expect(scene, "seedbank keys add-signature s", 78, "expired at")
    expect(scene, "seedbank keys sign my.sqlite --key \"$ROOT_B/root-2.key\"", 65, "Nothing was signed")
    #expect(try scene.shell("seedbank keys discard").contains("stay, unused"))
    try scene.type("Everything has expired")
    try scene.everybodyFollows()
  }

  @Test func `neither damaged or lost key files nor a broken model block other keys`() throws {
    let scene = try KeyScene()
    try scene.shell("echo '{' > seedbank/keys/timestamp-old.key && echo x > seedbank/keys/series-1.key")
    try scene.publish()
    try scene.shell("echo '{' > seedbank/keys/timestamp.key")
    expect(scene, "seedbank regenerate", 78, "is not a key file")
    try scene.shell("seedbank keys rotate timestamp --with \"$ROOT_A\" --with \"$ROOT_B\"")
    try scene.publish()
    #expect(try scene.shell("seedbank verify").hasSuffix("sound\n"))
    let sticks = "--with \"$ROOT_A\" --with \"$ROOT_B\" --with \"$TARGETS\""
    try scene.shell("rm -r seedbank/keys && seedbank keys rotate timestamp snapshot series \(sticks)")
    #expect(try scene.shell("stat -c %a seedbank/keys") == "700\n")
    try scene.publish()
    try scene.shell("echo garbage >> seedbank/my/models/1.0/schema.sql")
    try scene.shell("seedbank keys renew root \(sticks)")
    #expect(try scene.publication.published().root.version == 4)
  }

  @Test func `keys that another copy of the publication may use are not listed as replaced`() throws {
    let scene = try KeyScene()
    try scene.shell("seedbank init my.sqlite --directory other")
    try scene.shell("cp -a seedbank/publication older && cp seedbank/root.json older.json")
    let outcome = try scene.shell(
      "seedbank keys rotate timestamp snapshot series --with \"$ROOT_A\" --with \"$ROOT_B\" --with \"$TARGETS\""
    )
    #expect(outcome.contains("replaced, and may be deleted: \(scene.folder("seedbank/keys/series.key"))"))
    #expect(try scene.shell("seedbank keys status").contains("replaced, and may be deleted"))
    try scene.shell(
      "rm -r seedbank/publication && cp -a older seedbank/publication && cp older.json seedbank/root.json")
    let status = try scene.shell("seedbank keys status --with other/keys")
    #expect(!status.contains("may be deleted"), "\(status)")
  }

  @Test func `new-epoch uses several series keys if the publication names exactly these`() throws {
    let scene = try KeyScene()
    try scene.shell("seedbank keys new targets --to \"$NEW_A\"")
    expect(scene, "seedbank new-epoch --yes --with \"$NEW_A\"", 78, "A new epoch needs a signature by")
    try scene.shell("seedbank keys rotate series --count 2 --threshold 2 --with \"$TARGETS\"")
    expect(scene, "seedbank new-epoch --yes --with \"$TARGETS\"", 78, "Found 3 series keys")
    try scene.shell("rm seedbank/keys/series.key && seedbank new-epoch --yes --with \"$TARGETS\"")
    try scene.publish()
    try scene.everybodyFollows()
    #expect(try scene.publication.published().keys(of: .series)?.threshold == 2)
  }

  @Test(.full) func `a backup from before a rotation starts a new epoch with the latest keys`() throws {
    let scene = try KeyScene()
    try scene.shell("cp -a seedbank/publication older")
    try scene.shell(
      "seedbank keys rotate timestamp snapshot series --with \"$ROOT_A\" --with \"$ROOT_B\" --with \"$TARGETS\""
    )
    try scene.publish()
    try scene.everybodyFollows()
    try scene.shell("mkdir backup && cp seedbank/publication/metadata/*.root.json backup")
    try scene.shell("rm -r seedbank/publication && cp -a older seedbank/publication")
    expect(scene, "seedbank new-epoch --yes --with \"$TARGETS\"", 78, "Found 2 series keys")
    try scene.shell("rm seedbank/keys/series.key seedbank/keys/timestamp.key seedbank/keys/snapshot.key")
    expect(scene, "seedbank new-epoch --yes", 78, "give the key's folder with --with")
    try scene.type("The publication was lost")
    try scene.publish()
    try scene.everybodyFollows()
    #expect(try scene.shop("early") == "change 2\n")
  }
}
