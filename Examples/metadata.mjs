// Fetches and verifies signed metadata as in the article "Formats and HTTP interface", with only Node's standard library.

import { createPublicKey, verify } from 'node:crypto';
import fs from 'node:fs';
import { document, sha256 } from './seed.mjs';

/** The publication has nothing that this client may use. */
export class Refused extends Error {}

const [rootBytes, metadataBytes, mostRoots] = [64 * 1024, 512 * 1024, 256];

/** A file of the publication, never more than `limit` bytes; null if there is none. Fails if nothing arrives for `patience`. */
export async function get(address, limit, patience = 60_000) {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(new Error(`${address}: nothing more arrives`)), patience);
  try {
    const answer = await fetch(address, { signal: abort.signal });
    if ([403, 404, 410].includes(answer.status)) return null;  // Object stores answer 403 for unknown names.
    if (!answer.ok) throw new Refused(`${address}: status ${answer.status}`);
    const parts = [];
    for await (const part of answer.body) {
      timer.refresh();
      limit -= part.length;
      if (limit < 0) throw new Refused(`${address} is longer than allowed`);
      parts.push(part);
    }
    return Buffer.concat(parts);
  } catch (error) {
    // After an abort, Node 18 throws another error than the reason given above.
    throw abort.signal.aborted ? abort.signal.reason : error;
  } finally { clearTimeout(timer); }
}

/** JSON as it was signed: members in the order of their names' bytes, no spaces. */
function canonical(value) {
  if (typeof value === 'string') return `"${value.replace(/["\\]/g, '\\$&')}"`;
  if (value === null || typeof value !== 'object') return `${value}`;
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const names = Object.keys(value).sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
  return `{${names.map((name) => `${canonical(name)}:${canonical(value[name])}`).join(',')}}`;
}

function isSigned(data, { keytype, scheme, keyval }, sig) {
  if (keytype !== 'ed25519' || scheme !== 'ed25519' || !/^[0-9a-f]{64}$/i.test(keyval.public)) return false;
  const x = Buffer.from(keyval.public, 'hex').toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, data, key, Buffer.from(sig, 'hex'));
}

/** The signed content of a file, if enough keys signed it; each key counts once. */
function verified(bytes, type, keys, { keyids, threshold }) {
  const { signed, signatures } = document(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  const data = Buffer.from(canonical(signed));
  const good = signatures.filter(({ keyid, sig }) =>
    keyids.includes(keyid) && keys[keyid] && isSigned(data, keys[keyid], sig));
  const signers = new Set(good.map(({ keyid }) => keys[keyid].keyval.public.toLowerCase()));
  if (signed._type !== type || threshold < 1 || signers.size < threshold)
    throw new Refused(`${type}: too few valid signatures`);
  return signed;
}

function requireUnexpired({ _type, expires }, now) {
  if (!(Date.parse(expires) > now)) throw new Refused(`${_type} has expired: ${expires}`);
}

/** Writes a file whole or not at all. */
function keep(file, bytes) {
  fs.writeFileSync(`${file}.tmp`, bytes);
  fs.renameSync(`${file}.tmp`, file);
}

/** The newest root. Starts from the shipped root or the stored one, whichever is newer. */
async function newestRoot(address, folder, shipped) {
  const file = `${folder}/root.json`;
  const own = (bytes) => { const { keys, roles } = document(`${bytes}`).signed; return verified(bytes, 'root', keys, roles.root); };
  let bytes = fs.readFileSync(shipped);
  let root = own(bytes);
  try {
    const stored = fs.readFileSync(file);
    if (own(stored).version > root.version) [bytes, root] = [stored, own(stored)];
  } catch { /* None is stored, or it is damaged. */ }
  for (let count = 0; ; count += 1) {
    const next = await get(`${address}/metadata/${root.version + 1}.root.json`, rootBytes);
    if (!next) break;
    const signed = verified(next, 'root', root.keys, root.roles.root);
    own(next);
    if (signed.version !== root.version + 1 || count === mostRoots) throw new Refused('root: wrong version, or too many roots');
    [bytes, root] = [next, signed];
  }
  keep(file, bytes);
  return root;
}

/** The metadata that this client stored before; null if there is none, or the current keys did not sign it. */
function trusted(file, ...by) {
  try { return verified(fs.readFileSync(file), ...by); } catch { return null; }
}

function requireNoRollback(old, found) {
  if (!old) return;
  const lower = Object.keys(old.meta).some((name) => !(found.meta[name]?.version >= old.meta[name].version));
  if (found.version < old.version || lower) throw new Refused(`${found._type}: older than the stored one`);
}

/** The verified metadata of a series: the content of the role `name`. */
export async function refresh(address, folder, shipped, name, now = Date.now()) {
  const root = await newestRoot(address, folder, shipped);
  requireUnexpired(root, now);

  async function take(file, announced, keys, role, type = file) {
    const [stored, by] = [`${folder}/${file}.json`, [type, keys, role]];
    const old = trusted(stored, ...by);
    const bytes = await get(`${address}/metadata/${announced ? `${announced.version}.` : ''}${file}.json`,
      announced?.length ?? metadataBytes);
    if (!bytes) throw new Refused(`${file}.json is missing`);
    const wanted = announced?.hashes?.sha256;
    if (wanted && sha256(bytes) !== wanted) throw new Refused(`${file}: its hash differs from the announced one`);
    const signed = verified(bytes, ...by);
    if (announced && signed.version !== announced.version) throw new Refused(`${file}: not the announced version`);
    if (type !== 'targets') requireNoRollback(old, signed);
    if (type === 'timestamp' && old?.version === signed.version && canonical(old) !== canonical(signed))
      throw new Refused('the timestamp has changed, but not its version: was a backup restored?');
    requireUnexpired(signed, now);
    keep(stored, bytes);
    return signed;
  }

  const timestamp = await take('timestamp', null, root.keys, root.roles.timestamp);
  const snapshot = await take('snapshot', timestamp.meta['snapshot.json'], root.keys, root.roles.snapshot);
  const { delegations } = await take('targets', snapshot.meta['targets.json'], root.keys, root.roles.targets);
  const role = delegations.roles.find((role) => role.name === name);
  if (!role) throw new Refused(`${name} is not published`);
  const series = await take(name, snapshot.meta[`${name}.json`], delegations.keys, role, 'targets');
  const inside = `${name.replace(/-(\d+)$/, '/$1')}/`;
  if (Object.keys(series.targets).some((path) => !path.startsWith(inside)))
    throw new Refused(`${name} names files of another series`);
  return series;
}
