// Applies this folder's test deltas with seed.mjs, and compares the results with states.json. Shares no code with Seedbank.
//
//     node Examples/vectors/apply.mjs

import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import * as seed from '../seed.mjs';

/** A vector, in which a column of a key may have another name. Neither hashes nor digests include it. */
const read = (name, column = 'language') =>
  fs.readFileSync(new URL(name, import.meta.url), 'utf8').replaceAll('language', column);

async function compare(database, state) {
  assert.deepEqual(await seed.meta(database), { ...state.meta });
  assert.deepEqual(await database.rows('user_version', 'FROM pragma_user_version'), [[state.user_version]]);
  assert.equal(await seed.digest(database, []), state.meta.digest, 'the digest of the stored sums');
  const names = await database.rows('name', 'FROM seedbank_table ORDER BY name');
  assert.deepEqual(names.flat(), state.tables.map(({ name }) => name));
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

const all = seed.document(read('states.json'));
const states = Object.fromEntries(all.map((state) => [state.meta.version, state]));
const delta = (span, column) => seed.document(read(`delta-${span}.json`, column));

/** Applies the deltas of these spans, such as '1-2', to the snapshot, compares each version, then runs `more`. */
async function follow(spans, more = () => {}, column = undefined) {
  await seed.transaction(':memory:', async (database) => {
    await database.run(read('snapshot-1.sql', column));
    await compare(database, states[1]);
    for (const span of spans) {
      await seed.apply(database, delta(span, column));
      await compare(database, states[span.split('-')[1]]);
    }
    await more(database);
  });
}

/** Requires that the delta `last` fails with this error after the SQL in `damage` has changed the rows. */
const reject = (error, spans, last, ...damage) => assert.rejects(follow(spans, async (database) => {
  await database.run(...damage);
  await seed.apply(database, last);
}), error);

await follow(['1-2', '2-3', '3-4', '4-5']);
await follow(['1-3', '3-4']);
await follow(['1-2', '1-3', '3-4']);
for (const column of ['rowid', '_rowid_']) await follow(['1-2', '2-3', '3-4', '4-5'], () => {}, column);
await reject(seed.Drift, ['1-3'], delta('3-4'), "UPDATE stop SET code = 'C' WHERE id = 4");  // Also the new row's.
const minor = delta('4-5');
await reject(seed.Drift, ['1-3', '3-4'], minor, 'DELETE FROM word');  // Fewer rows than new values.
minor.additions.before = minor.schema;
await reject(/another series or schema/, ['1-3', '3-4'], minor);

/** Requires that a delta fails and changes nothing if its additions contain SQL that does more than add. */
async function refuse(folder) {
  const file = path.join(folder, 'seed.sqlite');
  await seed.transaction(file, async (database) => {
    await database.run(read('snapshot-1.sql'));
    for (const span of ['1-3', '3-4']) await seed.apply(database, delta(span));
  });
  for (const sql of seed.document(read('hostile.json'))) {
    const hostile = delta('4-5');
    hostile.additions.sql.push(sql);
    await assert.rejects(seed.transaction(file, (database) => seed.apply(database, hostile)), /not an addition/, sql);
  }
  await seed.transaction(file, (database) => compare(database, states[4]));
}

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'vectors-'));
await refuse(folder).finally(() => fs.rmSync(folder, { recursive: true }));
console.log(`${all.length} versions have the published rows, digests and search results`);
