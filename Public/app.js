"use strict";

// The front writes the complete page. This script keeps it current, shows times in the reader's time zone, and shows
// the rows of deltas. It inserts all text as text nodes, never as markup.

const refreshMilliseconds = 3000;
// A front that hangs is reported after both intervals, so within 15 seconds.
const answerMilliseconds = 10_000;
// A page of several deltas has up to 8 MiB. A single delta may be larger; beyond this limit, only its link is shown.
const explorerBytes = 9_000_000;
const explorerMilliseconds = 120_000;
const firstRows = 20;
const moreRows = 100;
const longText = 200;

const root = document.documentElement;
const freshness = document.getElementById("freshness");
const icon = document.querySelector("link[rel=icon]");
const ownIcon = icon.href;
// Drawn here, because a front that does not answer cannot serve a file.
const lostIcon = `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">
  <rect width="64" height="64" rx="14" fill="#b3261e"/>
  <path d="M32 14v22M32 47v3" stroke="#fff" stroke-width="8" stroke-linecap="round"/></svg>`)}`;
let tag = null;

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

// ---- Times, by the clock and the time zone of the reader's browser

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const clock = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });
const day = { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", second: "2-digit" };
const thisYear = new Intl.DateTimeFormat("en-GB", day);
const otherYear = new Intl.DateTimeFormat("en-GB", { ...day, year: "numeric" });
const zoned = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "long" });
const units = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];

function ago(seconds) {
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? units.at(-1);
  return relative.format(Math.trunc(seconds / size), unit);
}

function dated(at) {
  return (at.getFullYear() === new Date().getFullYear() ? thisYear : otherYear).format(at);
}

function local(at) { return Math.abs(at - Date.now()) < 43_200_000 ? clock.format(at) : dated(at); }

// Sets only a changed text, because setting it clears the selection, and screen readers read it out again.
function write(place, text) { if (place.textContent !== text) place.textContent = text; }

function tellTime(time) {
  const at = new Date(time.dateTime);
  write(time, time.closest("td, th, .axis") ? dated(at) : `${ago((at - Date.now()) / 1000)} (${local(at)})`);
  if (time.title !== zoned.format(at)) time.title = zoned.format(at);
}

function tellTimes(place) {
  for (const time of place.querySelectorAll("time")) tellTime(time);
}

// ---- Refreshing: changes only the nodes that differ, so that focus, selection and open changes stay.

function morph(old, fresh) {
  if (old.nodeName !== fresh.nodeName || old.id !== fresh.id) {
    old.replaceWith(fresh);
  } else if (old.nodeType === Node.TEXT_NODE) {
    if (old.data !== fresh.data) old.data = fresh.data;
  } else if (old.nodeType === Node.ELEMENT_NODE) {
    morphAttributes(old, fresh);
    if (!old.hasAttribute("data-own")) morphChildren(old, fresh);
  }
}

function morphAttributes(old, fresh) {
  for (const { name } of [...old.attributes]) {
    if (!fresh.hasAttribute(name)) old.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
}

function morphChildren(old, fresh) {
  let at = old.firstChild;
  for (const child of [...fresh.childNodes]) {
    const named = child.id ? old.querySelector(`:scope > #${CSS.escape(child.id)}`) : null;
    // Removes nodes before `named` that the new page lacks. Moving `named` instead would lose the focus.
    while (named && at !== named && !(at.id && fresh.querySelector(`:scope > #${CSS.escape(at.id)}`))) {
      at = at.nextSibling;
      at.previousSibling.remove();
    }
    const match = named ?? (at && !at.id && !child.id ? at : null);
    if (!match) {
      old.insertBefore(child, at);
      continue;
    }
    if (match !== at) old.insertBefore(match, at);
    at = match.nextSibling;
    morph(match, child);
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

async function refresh() {
  const headers = tag ? { "If-None-Match": tag } : {};
  const answer = await fetch(location.href, { headers, cache: "no-store", signal: AbortSignal.timeout(answerMilliseconds) });
  if (answer.status === 304) return;
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  const [old, next] = [document.getElementById("content"), fresh.getElementById("content")];
  tellTimes(next);
  morph(old, document.adoptNode(next));
  filter();
  document.title = fresh.title;
  tag = answer.headers.get("ETag");
}

let lastReached = new Date();

function showReached(isReached) {
  root.classList.toggle("lost", !isReached);
  write(freshness, isReached ? "Refreshes automatically" : "No answer: trying again");
  const href = isReached ? ownIcon : lostIcon;
  if (icon.href !== href) icon.href = href;
}

function showLost() {
  const standing = document.getElementById("standing");
  standing.className = "standing bad";
  write(standing, `The front has not answered since ${local(lastReached)}: this page is from then.`);
  document.title = "■ No answer – Seedbank";
  // The next response replaces both texts, even if nothing has changed.
  tag = null;
}

// A hidden page is refreshed too, because its title is visible in the tab.
async function keepCurrent() {
  try {
    await refresh();
    lastReached = new Date();
    showReached(true);
  } catch {
    showLost();
    showReached(false);
  }
  tellTimes(document);
  setTimeout(keepCurrent, refreshMilliseconds);
}

// ---- The filter, if there are many series

function filter() {
  const text = document.querySelector("#filter input")?.value.trim().toLowerCase() ?? "";
  for (const row of document.querySelectorAll("#list tbody tr")) {
    row.hidden = !row.querySelector("th").textContent.toLowerCase().includes(text);
  }
}

// ---- The changes of versions

// A number in the document's spelling, because 1.0 and 1 are different values.
class Written { constructor(source) { this.source = source; } }

function parse(text) {
  return JSON.parse(text, (name, value, context) =>
    typeof value === "number" && context?.source ? new Written(context.source) : value);
}

async function readAll(answer) {
  const reader = answer.body.getReader();
  const [decoder, parts] = [new TextDecoder(), []];
  for (let total = 0; ;) {
    const { done, value } = await reader.read();
    if (done) return parts.join("") + decoder.decode();
    total += value.length;
    if (total > explorerBytes) {
      await reader.cancel();
      return null;
    }
    parts.push(decoder.decode(value, { stream: true }));
  }
}

function typed(kind, text) { return element("span", { className: `value ${kind}` }, text); }

function blob(base64) {
  const bytes = base64.length / 4 * 3 - (base64.match(/=*$/)[0].length);
  return typed("blob", `blob of ${bytes} bytes`);
}

function shown(value) {
  if (value === null) return typed("null", "NULL");
  if (value instanceof Written) return typed(/[.e]/i.test(value.source) ? "real" : "integer", value.source);
  if (typeof value === "number") return typed("integer", String(value));
  if (typeof value === "object" && "b64" in value) return blob(value.b64);
  if (typeof value === "object" && "i64" in value) return typed("integer", value.i64);
  if (typeof value === "object" && "f64" in value) return typed("real", value.f64);
  const text = element("bdi", {}, value.length > longText ? `${value.slice(0, longText)}…` : value);
  const made = typed("text", text);
  if (value.length > longText) made.append(element("span", { className: "quiet" }, ` (${value.length} characters)`));
  return made;
}

// Each row is an array of values; `undefined` means that the column did not change.
function rowsTable(caption, columns, rows) {
  const body = element("tbody");
  const more = element("button", { type: "button" });
  let count = 0;
  const extend = (many) => {
    const next = rows.slice(count, count + many);
    count += next.length;
    const cells = (row) => row.map((value) => element("td", {}, value === undefined ? "" : shown(value)));
    body.append(...next.map((row) => element("tr", {}, ...cells(row))));
    more.hidden = count === rows.length;
    more.textContent = `Show ${Math.min(moreRows, rows.length - count)} more of ${rows.length - count}`;
  };
  const heads = columns.map((name) => element("th", { scope: "col" }, element("bdi", {}, name)));
  const top = element("thead", {}, element("tr", {}, ...heads));
  const table = element("table", {}, element("caption", {}, caption), top, body);
  const scroll = element("div", { className: "scroll", tabIndex: 0, role: "group", ariaLabel: caption }, table);
  extend(firstRows);
  more.addEventListener("click", () => extend(moreRows));
  return [scroll, more];
}

// Updates may set different columns, so the table has the key and every column that any update sets.
function updatedRows({ key, columns, sets, update }) {
  const names = columns.filter((name) => key.includes(name) || sets.some((set) => set.includes(name)));
  const rows = update.map(([set, ...values]) => {
    const named = [...key, ...sets[set.source ?? set]];
    return names.map((name) => values[named.indexOf(name)]);
  });
  return [names, rows];
}

// The values of new columns come without keys. An array has the number of rows to skip, which are not shown.
function filledRows({ fill, filled = [] }) {
  const values = filled.filter((value) => !Array.isArray(value));
  return Array.from({ length: values.length / (fill?.length ?? 1) }, (_, row) => values.slice(row * fill.length, (row + 1) * fill.length));
}

function tableChanges(change) {
  const parts = [element("h5", {}, element("bdi", {}, change.table))];
  const [names, updated] = updatedRows(change);
  for (const [columns, rows, what] of [
    [change.fill, filledRows(change), "with values in new columns"],
    [change.key, change.delete, "deleted, by key"], [change.columns, change.insert, "inserted"], [names, updated, "changed"],
  ]) {
    const caption = `${rows.length} ${rows.length === 1 ? "row" : "rows"} ${what}`;
    if (rows.length > 0) parts.push(...rowsTable(caption, columns, rows));
  }
  return parts;
}

function delta(one) {
  const title = element("h4", {}, `Version ${one.from.source ?? one.from} to ${one.to.source ?? one.to}`);
  return [title, ...one.changes.flatMap(tableChanges)];
}

function raw(path) { return element("a", { href: path }, "the document itself"); }

async function explored(path) {
  const answer = await fetch(path, { signal: AbortSignal.timeout(explorerMilliseconds) });
  const text = await readAll(answer);
  if (text === null) return [element("p", {}, `More than ${explorerBytes / 1e6} MB: see `, raw(path), ".")];
  if (!answer.ok) return [element("p", { className: "notice" }, JSON.parse(text).detail)];
  const { deltas, more } = parse(text);
  const parts = deltas.flatMap(delta);
  if (deltas.length === 0) parts.push(element("p", {}, "Nothing changed between these versions."));
  const next = answer.headers.get("Link")?.match(/<([^>]+)>; rel="next"/)?.[1];
  if (more && next) {
    const [button, said] = [element("button", { type: "button" }, "Show the next changes"), element("div")];
    button.addEventListener("click", async () => {
      try {
        button.replaceWith(...await explored(next));
        said.remove();
      } catch (error) { said.replaceChildren(unfetched(error)); }
    });
    parts.push(button, said);
  }
  parts.push(element("p", { className: "quiet" }, "As JSON: ", raw(path)));
  return parts;
}

function unfetched({ message }) {
  return element("p", { className: "notice" }, `The changes could not be fetched: ${message}`);
}

async function explore(place, path) {
  const waiting = element("p", { role: "status" }, "Fetching…");
  const close = element("button", { type: "button" }, "Close");
  close.addEventListener("click", () => place.replaceChildren());
  place.replaceChildren(waiting);
  const parts = await explored(path).then((found) => [...found, close], (error) => [unfetched(error)]);
  // If the reader has chosen other changes since, shows nothing.
  if (waiting.parentNode !== place) return;
  place.replaceChildren(...parts);
  place.focus();
}

function explorerBeside(inner) {
  return inner.closest(".series").querySelector(".explorer");
}

// ---- Events

document.addEventListener("click", (event) => {
  const change = event.target.closest("a.change");
  if (change && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
    event.preventDefault();
    explore(explorerBeside(change), change.getAttribute("href"));
  }
});

document.addEventListener("input", (event) => { if (event.target.closest("#filter")) filter(); });

document.addEventListener("submit", (event) => {
  event.preventDefault();
  const { since, to } = event.target.elements;
  const path = event.target.dataset.path.replace("{since}", `${since.value}&to=${to.value}`);
  explore(explorerBeside(event.target), path);
});

root.classList.add("script");
document.getElementById("zone").textContent = `Times are in ${zoned.resolvedOptions().timeZone}`;
tellTimes(document);
keepCurrent();
