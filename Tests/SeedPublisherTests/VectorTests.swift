import Foundation
import Support
import Testing

/// The vectors in `Examples/vectors`, for tests of other clients.
@Suite struct VectorTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Examples/vectors").standardized

  @Test func `the publisher reproduces the vectors byte for byte`() throws {
    let isWriting = ProcessInfo.processInfo.environment["SEEDBANK_WRITE_VECTORS"] != nil
    for (name, text) in try VectorHistory().files() {
      let file = Self.folder.appending(path: name)
      if isWriting { try text.write(to: file, atomically: false, encoding: .utf8) }
      #expect(
        try String(contentsOf: file, encoding: .utf8) == text,
        "\(name) is another one; if it should be: SEEDBANK_WRITE_VECTORS=1 Scripts/test --filter VectorTests")
    }
  }

  #if os(Linux)
  @Test(arguments: [["python3", "apply.py"], ["node", "apply.mjs"]])
  func `an independent client in Python or JavaScript applies the vectors`(_ program: [String]) throws {
    let applied = try TestProgram.run(
      [program[0], Self.folder.appending(path: program[1]).path], joined: true, within: longestWait)
    #expect(applied.output == "5 versions have the published rows, digests and search results\n")
  }

  @Test func `a delta with very many rows is applied in JavaScript`() throws {
    let script = """
      import fs from 'node:fs';
      const folder = process.argv[1];
      const seed = await import(`${folder}/../seed.mjs`);
      const text = (name) => fs.readFileSync(`${folder}/${name}`, 'utf8');
      const delta = seed.document(text('delta-1-2.json'));
      const { delete: rows } = delta.changes.find(({ table }) => table === 'visit');
      for (let count = 0; count < 30_000; count += 1) rows.push(rows[0]);
      await seed.transaction(':memory:', async (database) => {
        await database.run(text('snapshot-1.sql'));
        await seed.apply(database, delta);
      });
      """
    // A call has fewer arguments on a small stack, so fewer rows suffice.
    let arguments = ["node", "--stack-size=250", "--input-type=module", "-e", script, Self.folder.path]
    let applied = try TestProgram.run(arguments, joined: true, within: longestWait)
    #expect(applied.status == 0, "\(applied.output)")
  }
  #endif
}
