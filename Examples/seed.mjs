// Applies deltas to a seed, a SQLite file, and proves the result with the digest. Uses only Node's standard library and the
// sqlite3 program; an app passes the same statements to its own SQLite.
//
// The rules are in the article "Formats and HTTP interface".

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createInterface } from 'node:readline';

/** The rows differ from the published ones: download a snapshot. */
export class Drift extends Error {}

export const sha256 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest('hex');
const quoted = (name) => `"${name.replaceAll('"', '""')}"`;

/** A connection through a running sqlite3 program. */
export class Database {
  #program;
  #lines;
  #errors = '';
  #ended;

  constructor(file) {
    this.#program = spawn('sqlite3', ['-safe', '-batch', '-bail', '-init', '/dev/null', '-cmd', '.timeout 60000', file]);
    this.#program.on('error', (error) => (this.#errors += error.message));
    this.#ended = new Promise((resolve) => this.#program.on('close', resolve));
    this.#program.stdin.on('error', () => {});  // The program has ended, and `lines` reports its own error.
    this.#program.stderr.on('data', (text) => (this.#errors += text));
    this.#lines = createInterface({ input: this.#program.stdout })[Symbol.asyncIterator]();
  }

  /** The lines that statements print: each row must have one column, without line feeds. */
  async *lines(sql) {
    this.#program.stdin.write(`${sql};\nSELECT 'end of rows';\n`);
    for (;;) {
      const { value, done } = await this.#lines.next();
      if (done) {
        await this.#ended;  // All errors have arrived.
        throw new Error(`sqlite3: ${this.#errors || 'it ended'}`);
      }
      if (value === 'end of rows') return;
      yield value;
    }
  }

  /** Runs statements, or arrays of them: a call cannot have as many arguments as a delta has rows. */
  async run(...statements) { for await (const _ of this.lines(statements.flat().join(';\n'))); }

  /** Rows as arrays; only for columns of integers and text. */
  async rows(columns, rest) {
    const rows = [];
    for await (const line of this.lines(`SELECT json_array(${columns}) ${rest}`)) rows.push(JSON.parse(line));
    return rows;
  }

  close() { this.#program.stdin.end(); }
}

/** Passes a connection whose changes all become visible together; an error discards them. */
export async function transaction(file, body) {
  const database = new Database(file);
  try {
    await database.run('PRAGMA foreign_keys = OFF', 'BEGIN IMMEDIATE');
    const result = await body(database);
    await database.run('COMMIT');
    return result;
  } finally { database.close(); }
}

/** The dataset, epoch, version and more of a seed. */
export const meta = async (database) => Object.fromEntries(await database.rows('key, value', 'FROM seedbank_meta'));

/** Returns a snapshot's or delta's SQL if it is one statement that adds to the schema; sqlite3 -safe would also run COMMIT. */
function addition(sql) {
  const ignored = /'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|--[^\n]*\n|\/\*[^]*?\*\/|[^\0-\x7f]/g;
  const plain = `${sql}\n`.replace(ignored, (part) => (/^[-/]/.test(part) ? '\n' : 'x'));
  const adds =
    /^(ALTER TABLE x+ ADD\b|CREATE (TABLE \w+\s*\(|VIEW \w+\s*(\(|AS\b)|(UNIQUE )?INDEX \w+\s*ON\b|VIRTUAL TABLE \w+\s+USING\s+fts5\b))/i;
  // For sqlite3, a line "go" or "/" is a semicolon, and a NUL ends a line. A variable such as $a(') hides a quote.
  if (!adds.test(plain) || /[;'"`[$@#:?]|--|\/\*|^\s*(go|\/)\s*$/im.test(plain) || sql.includes('\0'))
    throw new Error(`not an addition to the schema: ${sql}`);
  return /--[^\n]*$/.test(sql) ? `${sql}\n` : sql;  // Only after a comment: SQLite keeps it.
}

/** Builds the indexes that a snapshot leaves to its reader. */
export async function buildIndexes(database) {
  if (!(await database.rows('1', "FROM sqlite_schema WHERE name = 'seedbank_index'")).length) return;
  for (const [sql] of await database.rows('sql', 'FROM seedbank_index ORDER BY position'))
    await database.run(addition(sql));
  await database.run(
    'INSERT INTO sqlite_stat1(tbl, idx, stat) SELECT "table", name, statistics FROM seedbank_index WHERE statistics NOT NULL',
    'DROP TABLE seedbank_index');
}

// Deltas.

/** The tokens of a JSON text. A regular expression for strings would exhaust the stack in a long one. */
function split(text) {
  const [tokens, other] = [[], /\s+|[\]{}[,:]|[^\s"\]{}[,:]+/y];
  for (let at = 0; at < text.length;) {
    let end = at;
    if (text[at] === '"') {
      let backslashes;
      do {
        end = text.indexOf('"', end + 1);
        for (backslashes = 0; text[end - 1 - backslashes] === '\\';) backslashes += 1;
      } while (backslashes % 2);
      end += 1;
    } else {
      other.lastIndex = at;
      other.test(text);
      end = other.lastIndex;
    }
    const token = text.slice(at, end);
    if (token.trim()) tokens.push(token);
    at = end;
  }
  return tokens;
}

/** The value of a JSON text. A number with a fraction or an exponent becomes {f64}: JSON.parse would make 1 of 1.0. */
export function document(text) {
  JSON.parse(text);  // Rejects everything that is not JSON.
  const tokens = split(text);
  let at = 0;
  const until = (end, element) => { for (; tokens[at] !== end; at += tokens[at] === ',') element(); at += 1; };
  function value() {
    const token = tokens[at++];
    if (token === '[') { const list = []; until(']', () => list.push(value())); return list; }
    if (token !== '{') return /^-?\d.*[.eE]/.test(token) ? { f64: token } : JSON.parse(token);
    const members = Object.create(null);
    until('}', () => {
      const name = JSON.parse(tokens[at]);
      if (name in members) throw new Error(`a name occurs twice: ${name}`);
      at += 2;
      members[name] = value();
    });
    return members;
  }
  return value();
}

/** A value of a row as SQL. SQLite could round a double's decimal digits differently, so it gets the eight bytes. */
export function literal(value) {
  if (value === null) return 'NULL';
  if (typeof value === 'number') return `${value}`;
  if (typeof value === 'string') return `+CAST(X'${Buffer.from(value).toString('hex')}' AS TEXT)`;
  if ('i64' in value) return `${BigInt(value.i64)}`;
  if ('b64' in value) return `X'${Buffer.from(value.b64, 'base64').toString('hex')}'`;
  return `ieee754_from_blob(X'${double(Number(value.f64))}')`;
}

function double(number) {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(number);
  return bytes.toString('hex');
}

/** The schema of the data to which a delta applies; it differs from the delta's own if the delta begins a minor. */
export const before = (delta) => delta.additions?.before ?? delta.schema;

/** Applies a delta; throws Drift if the resulting rows are not the published ones. */
export async function apply(database, delta) {
  const known = await meta(database);
  if (delta.dataset !== known.dataset || `${delta.series}` !== known.series || before(delta) !== known.schema)
    throw new Error('the delta belongs to another series or schema');
  if (!(delta.from <= known.version && known.version < delta.to))
    throw new Error(`a delta from ${delta.from} to ${delta.to} does not apply to version ${known.version}`);
  let changed = delta.changes.map(({ table }) => table);
  try {
    if (delta.additions) changed = await extend(database, delta);
    for (const table of delta.changes) await database.run(fill(table), changes(table));
  } catch (error) {
    if (!error.message.includes('constraint failed')) throw error;
    throw new Drift(`version ${delta.to} conflicts with a local row: ${error.message}`);
  }
  if ((await digest(database, changed)) !== delta.digest)
    throw new Drift(`the rows of version ${delta.to} differ from the published ones`);
  const searches = await database.rows('name', "FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE%'");
  await database.run(
    ...searches.map(([name]) => `INSERT INTO ${quoted(name)}(${quoted(name)}) VALUES ('rebuild')`),
    `UPDATE seedbank_meta SET value = '${delta.to}' WHERE key = 'version'`,
    `UPDATE seedbank_meta SET value = '${delta.digest}' WHERE key = 'digest'`);
}

/** Begins a new minor. Returns the names of all tables, because a new column changes the sum of its table. */
async function extend(database, { additions, model, schema }) {
  await database.run(additions.sql.map(addition));
  const names = (await database.rows('name', `FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
    AND name NOT GLOB 'sqlite_*' AND name NOT GLOB 'seedbank_*'`)).flat();
  const [major, minor] = model.split('.');
  await database.run(
    ...names.map((name) => `INSERT OR IGNORE INTO seedbank_table VALUES (${literal(name)}, 0, zeroblob(32))`),
    `UPDATE seedbank_meta SET value = ${literal(schema)} WHERE key = 'schema'`,
    `UPDATE seedbank_meta SET value = ${literal(model)} WHERE key = 'model'`,
    `PRAGMA user_version = ${Number(major) * 1000 + Number(minor)}`);
  return names;
}

/** Sets new columns, row by row in the order of the keys. An array holds the number of rows to skip. */
function fill({ table, key, fill: columns, filled = [] }) {
  // A column of the key may be named rowid.
  const [name, keys, copies] = [quoted(table), key.map(quoted).join(', '), key.map((_, place) => `key_${place}`).join(', ')];
  const updates = [];
  for (let at = 0, row = 1; at < filled.length; row += 1) {
    if (Array.isArray(filled[at])) {
      row += filled[at++][0] - 1;
      continue;
    }
    const settings = columns.map((column) => `${quoted(column)} = ${literal(filled[at++])}`).join(', ');
    updates.push(`UPDATE ${name} SET ${settings} WHERE (${keys}) = (SELECT ${copies} FROM temp.ordered WHERE number = ${row})`);
  }
  if (!updates.length) return [];
  return [
    `CREATE TEMP TABLE ordered(number INTEGER PRIMARY KEY, ${copies})`,
    `INSERT INTO temp.ordered(${copies}) SELECT ${keys} FROM ${name} ORDER BY ${keys}`, ...updates, 'DROP TABLE temp.ordered',
  ];
}

/** First deletes all rows that change, because two of them may swap a unique value. The digest reveals a missing row. */
function changes({ table, key, columns, sets, delete: deleted, insert, update }) {
  const [name, names] = [quoted(table), columns.map(quoted).join(', ')];
  const matches = (values) => key.map((column, index) => `${quoted(column)} = ${literal(values[index])}`).join(' AND ');
  const keys = insert.map((row) => key.map((column) => row[columns.indexOf(column)]));
  const changed = update.map(([set, ...values]) => {
    const named = [...key, ...sets[set]];
    const row = columns.map((column) => (named.includes(column) ? literal(values[named.indexOf(column)]) : quoted(column)));
    return `INSERT INTO temp.changed SELECT ${row.join(', ')} FROM ${name} WHERE ${matches(values)}`;
  });
  return [
    `CREATE TEMP TABLE changed AS SELECT ${names} FROM ${name} LIMIT 0`, ...changed,
    ...[...deleted, ...keys, ...update.map((row) => row.slice(1))].map((row) => `DELETE FROM ${name} WHERE ${matches(row)}`),
    ...insert.map((row) => `INSERT INTO ${name}(${names}) VALUES (${row.map(literal).join(', ')})`),
    `INSERT INTO ${name}(${names}) SELECT * FROM temp.changed`, 'DROP TABLE temp.changed',
  ];
}

// The state digest.

/** The canonical bytes of a column's value, in hexadecimal, as SQL. */
const canonical = (column) => `CASE typeof(${column}) WHEN 'null' THEN '00'
  WHEN 'integer' THEN '01' || printf('%016x', ${column}) WHEN 'real' THEN '02' || hex(ieee754_to_blob(${column}))
  ELSE iif(typeof(${column}) = 'text', '03', '04') || printf('%016x', length(CAST(${column} AS BLOB))) || hex(${column}) END`;

/** The number of rows, and the sum of their hashes. table_info omits generated columns. */
export async function tableSum(database, table) {
  const columns = await database.rows('name', `FROM pragma_table_info('${table.replaceAll("'", "''")}') ORDER BY cid`);
  const row = columns.map(([name]) => canonical(quoted(name))).join(' || ');
  let [count, total] = [0, 0n];
  for await (const line of database.lines(`SELECT ${row} FROM ${quoted(table)}`)) {
    count += 1;
    total += BigInt(`0x${sha256(Buffer.from(line, 'hex'))}`);
  }
  return [count, BigInt.asUintN(256, total).toString(16).padStart(64, '0')];
}

/** The state digest. Computes only the sums of changed tables; seedbank_table has the others. */
export async function digest(database, changed) {
  for (const name of changed) {
    const [rows, sum] = await tableSum(database, name);
    await database.run(`UPDATE seedbank_table SET rows = ${rows}, sum = X'${sum}' WHERE name = ${literal(name)}`);
  }
  const tables = await database.rows('name, rows, hex(sum)', 'FROM seedbank_table ORDER BY name');
  return sha256(...tables.flatMap(([name, rows, sum]) =>
    [size(Buffer.byteLength(name)), name, size(rows), Buffer.from(sum, 'hex')]));
}

function size(number) {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(number));
  return bytes;
}
