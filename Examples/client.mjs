// Keeps a dataset current from any web server with the files of a publication. Each run is one update.
//
//     node client.mjs ADDRESS ROOT.json DATASET MODEL STORE
//
// STORE/current.sqlite is the data. Reopen it after an update, because a snapshot is a new file. A failed update keeps the
// data. Needs Node 18 or later and the sqlite3 program; metadata.mjs verifies metadata, seed.mjs writes and proves rows.

import fs from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { get, refresh, Refused } from './metadata.mjs';
import * as seed from './seed.mjs';

/** The names of snapshots and deltas. */
const names = /^[^/]+\/\d+\/(?:snapshot-([1-9]\d*)\.sqlite|delta-([1-9]\d*)-([1-9]\d*)\.json)\.(gz|xz)$/;

/** The signed facts of each object for clients of a model, compressed with gzip. A snapshot's `from` is 0. */
function usable({ seedbank: state, targets }, dataset, model) {
  if (!state.models[model])
    throw new Refused(`model ${model} is not published; the published ones are ${Object.keys(state.models).join(', ')}`);
  const series = { dataset, series: parseInt(model), epoch: state.epoch };
  return Object.entries(targets).flatMap(([path, { custom, length, hashes }]) => {
    const name = names.exec(path);
    const [from, to] = [Number(name?.[2] ?? 0), Number(name?.[1] ?? name?.[3])];
    if (!(from < to && Number.isSafeInteger(to))) return [];
    if (parseInt(custom?.model) !== series.series) throw new Refused(`${path}: its model belongs to another series`);
    const schema = state.models[custom.model];
    if (name[4] !== 'gz' || !schema) return [];
    return [{ schemaBefore: schema, ...custom, ...series, path, length, sha256: hashes.sha256, schema, from, to, version: to }];
  });
}

/** The version and schema from which deltas must start; version 0 if the data needs a snapshot. */
function start(state, facts, meta) {
  if (meta?.epoch !== state.epoch) return { version: 0 };
  const version = Number(meta.version);
  if (version > state.head)
    throw new Refused(`the publisher is at version ${state.head}, the data at ${version}: was a backup restored?`);
  const differs = facts.some(({ to, digest }) => to === version && digest !== meta.digest);
  return { version: differs ? 0 : version, schema: meta.schema };
}

/** A short chain of deltas from one version and schema to another; null if there is none. A new minor changes the schema. */
function chain(deltas, { version, schema }, end) {
  if (version === end.version && schema === end.schema) return [];
  const fits = ({ from, to, schemaBefore }) => from <= version && version < to && schemaBefore === schema;
  const next = deltas.filter(fits).sort((one, other) => other.to - one.to)[0];
  const rest = next && chain(deltas, { version: next.to, schema: next.schema }, end);
  return rest ? [next, ...rest] : null;
}

/** The objects to download: deltas, or a snapshot and the deltas after it if they have fewer bytes. */
function smallest(state, facts, start) {
  const [deltas, snapshots] = [facts.filter(({ from }) => from), facts.filter(({ from }) => !from)];
  const end = { version: state.head, schema: state.models[state.model] };
  const ways = [[[], start], ...snapshots.map((fact) => [[fact], { version: fact.to, schema: fact.schema }])]
    .map(([first, at]) => [first, chain(deltas, at, end)])
    .filter(([, rest]) => rest).map(([first, rest]) => [...first, ...rest]);
  if (!ways.length)
    throw new Refused(`no object leads from version ${start.version} to ${state.head}: the publisher must make a snapshot`);
  const bytes = (way) => way.reduce((sum, { length }) => sum + length, 0);
  return ways.reduce((best, way) => (bytes(way) < bytes(best) ? way : best));
}

/** The expanded content of an object. Checks length and hash before and after it is expanded. */
async function download(address, fact) {
  const file = path.posix.join(path.posix.dirname(fact.path), `${fact.sha256}.${path.posix.basename(fact.path)}`);
  const bytes = await get(`${address}/targets/${file}`, fact.length);
  if (!bytes || seed.sha256(bytes) !== fact.sha256) throw new Refused(`${fact.path} is missing, or its hash is not the signed one`);
  const content = gunzipSync(bytes, { maxOutputLength: fact.rawLength });
  if (fact.rawSHA256 && seed.sha256(content) !== fact.rawSHA256) throw new Refused(`${fact.path}: not the signed content`);
  return content;
}

function compare(found, fact, ...names) {
  for (const name of ['dataset', 'series', 'model', 'schema', 'digest', ...names])
    if (`${found[name]}` !== `${fact[name]}`)
      throw new Refused(`${fact.path}: ${name} is ${found[name]}, but the signed metadata has ${fact[name]}`);
}

/** Applies deltas to the current file, or to a new one that then becomes the current one. */
async function take(address, way, current, scratch) {
  let file = current;
  if (way[0]?.from === 0) {
    file = `${scratch}/new.sqlite`;
    fs.writeFileSync(file, await download(address, way[0]));
    await seed.transaction(file, async (database) => {
      compare(await seed.meta(database), way[0], 'epoch', 'version');
      await seed.buildIndexes(database);
    });
  }
  for (const fact of way.filter(({ from }) => from)) {
    const delta = seed.document(new TextDecoder('utf-8', { fatal: true }).decode(await download(address, fact)));
    compare({ ...delta, schemaBefore: seed.before(delta) }, fact, 'from', 'to', 'schemaBefore');
    await seed.transaction(file, (database) => seed.apply(database, delta));
  }
  if (file !== current) swap(file, current);
}

/** Makes a file the current one. The old one stays for its readers until the next swap. */
function swap(file, current) {
  const folder = path.dirname(current);
  const named = path.join(folder, `seed-${Date.now()}.sqlite`);
  const kept = [named, fs.existsSync(current) && fs.realpathSync(current)];
  fs.renameSync(file, named);
  for (const place of [named, folder]) fs.fsyncSync(fs.openSync(place));  // On disk before the link names it.
  fs.symlinkSync(path.basename(named), `${file}.link`);
  fs.renameSync(`${file}.link`, current);
  const seeds = fs.readdirSync(folder).filter((name) => /^seed-.*\.sqlite$/.test(name)).map((name) => path.join(folder, name));
  for (const old of seeds) if (!kept.includes(old)) fs.unlinkSync(old);
}

async function update(address, root, dataset, model, folder) {
  fs.mkdirSync(`${folder}/metadata`, { recursive: true });
  const store = fs.realpathSync(folder);
  const [scratch, current] = [`${store}/scratch`, `${store}/current.sqlite`];
  await seed.transaction(`${store}/lock.sqlite`, async () => {  // One update at a time: others wait here.
    fs.rmSync(scratch, { recursive: true, force: true });
    fs.mkdirSync(scratch);
    const series = await refresh(address, `${store}/metadata`, root, `${dataset}-${parseInt(model)}`);
    const { seedbank: state } = series;
    const facts = usable(series, dataset, model);
    const meta = fs.existsSync(current) ? await seed.transaction(current, seed.meta) : null;
    const way = smallest(state, facts, start(state, facts, meta));
    try {
      await take(address, way, current, scratch);
    } catch (error) {
      if (!(error instanceof seed.Drift)) throw error;
      await take(address, smallest(state, facts, { version: 0 }), current, scratch);
    }
    console.log(`version ${state.head} in ${current}; update again in ${state.pollSeconds} seconds`);
  });
}

update(...process.argv.slice(2)).catch((error) => {
  console.error(`client.mjs: the update failed, and the old data stays: ${error.constructor.name}: ${error.message}`);
  process.exitCode = 1;
});
