// Applies the vectors by seed.mjs, and compares rows, sums, digests and answers to searches. Shares no code with Seedbank.
//
//     node Examples/vectors/apply.mjs

import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import * as seed from '../seed.mjs';

const read = (name) => fs.readFileSync(new URL(name, import.meta.url), 'utf8');

async function compare(database, state) {
  const { version, digest } = await seed.meta(database);
  assert.deepEqual([Number(version), digest], [state.version, state.digest]);
  for (const { name, rows, sum, content } of state.tables) {
    assert.deepEqual(await seed.tableSum(database, name), [rows, sum], `the rows of ${name}`);
    const stored = await database.rows('rows, lower(hex(sum))', `FROM seedbank_table WHERE name = '${name}'`);
    assert.deepEqual(stored, [[rows, sum]], `the stored sum of ${name}`);
    assert.equal(content.length, rows);
  }
  for (const [words, expected] of Object.entries(state.searches)) {
    const found = await database.rows('rowid', `FROM stop_search(${seed.literal(words)}) ORDER BY rowid`);
    assert.deepEqual(found.flat(), expected, `the answer to ${words}`);
  }
  await database.run("INSERT INTO stop_search(stop_search, rank) VALUES ('integrity-check', 1)");
}

const states = seed.document(read('states.json'));

/** Applies all deltas, that of a version after damage to the rows. */
async function follow(damaged, damage) {
  await seed.transaction(':memory:', async (database) => {
    await database.run(read('snapshot-1.sql'));
    await compare(database, states[0]);
    for (const [index, state] of states.slice(1).entries()) {
      if (state.version === damaged) await database.run(damage);
      await seed.apply(database, seed.document(read(`delta-${states[index].version}-${state.version}.json`)));
      await compare(database, state);
    }
  });
}

await follow();
const stray = "UPDATE stop SET code = NULL; INSERT INTO stop(id, name, code) VALUES (9, 'stray', 'A')";
await assert.rejects(follow(3, stray), seed.Drift, 'a unique value of another row');
await assert.rejects(follow(5, 'DELETE FROM word'), seed.Drift, 'fewer rows than new values');

/** A delta whose additions do more than add changes nothing. */
async function refuse(folder) {
  const file = path.join(folder, 'seed.sqlite');
  const delta = (number) => seed.document(read(`delta-${number}-${number + 1}.json`));
  await seed.transaction(file, async (database) => {
    await database.run(read('snapshot-1.sql'));
    for (const number of [1, 2, 3]) await seed.apply(database, delta(number));
  });
  for (const sql of seed.document(read('hostile.json'))) {
    const hostile = delta(4);
    hostile.additions.sql.push(sql);
    await assert.rejects(seed.transaction(file, (database) => seed.apply(database, hostile)), /not an addition/, sql);
  }
  await seed.transaction(file, (database) => compare(database, states[3]));
}

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'vectors-'));
await refuse(folder).finally(() => fs.rmSync(folder, { recursive: true }));
console.log(`${states.length} versions have their rows, digests and searches`);
