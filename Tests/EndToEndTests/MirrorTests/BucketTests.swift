import SeedFormat
import Support
import Testing

@Suite struct BucketTests {
  @Test func `a step updates the bucket, and mirror check proves conditional writes`() throws {
    let scene = try BucketScene(isPublic: false)
    try scene.seedbank("mirror", "check").expect(
      0, output: "honours conditional writes",
      "nothing is mirrored yet: after 'seedbank mirror push', check again")
    for text in ["one", "two"] {
      try scene.change(text)
      let step = try scene.seedbank("regenerate")
      #expect(step.status == 0 && !step.errors.contains("mirror"), "\(step.errors)")
    }
    let filled = try scene.seedbank("mirror", "check")
    #expect(filled.output.contains("clients cannot read the files at this address"), "\(filled.output)")
    #expect(try scene.seedbank("status").output.contains("/seeds/prod: up to date since"))
    #expect(try scene.seedbank("mirror", "push").output.hasSuffix("/seeds/prod: up to date\n"))
  }

  @Test func `a wrong secret, a missing bucket and an unreachable store are reported and stop no step`()
    throws
  {
    let scene = try BucketScene(isPublic: false)
    try scene.change("one")
    try scene.seedbank("regenerate", secret: "a wrong secret").expect(0, "SignatureDoesNotMatch")
    #expect(try scene.seedbank("mirror", "check", secret: "a wrong secret").status == 78)
    try scene.seedbank("mirror", "check", secret: "").expect(78, "AWS_SHARED_CREDENTIALS_FILE")
    try scene.name(scene.bucket.address("nowhere/prod"))
    try scene.seedbank("mirror", "push").expect(78, "NoSuchBucket")
    try scene.name("http://127.0.0.1:1/seeds")
    try scene.seedbank("mirror", "push").expect(69, "does not answer")
    try scene.change("two")
    #expect(try scene.seedbank("regenerate").status == 0)
    #expect(try scene.seedbank("status").output.contains("nothing mirrored yet; it does not answer"))
  }

  @Test func `a store that ignores conditions is detected before anything is mirrored`() throws {
    try BucketScene(isCareless: true).seedbank("mirror", "check").expect(
      78, "it does not honour conditions")
  }
}
