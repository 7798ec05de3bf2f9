"use strict";

// Shows what /v1 and /readyz say, and looks again every few seconds. All text goes in as text, never as markup: names,
// licenses and messages are an operator's words, not this page's.

const refreshMilliseconds = 3000;
const place = document.getElementById("datasets");
const state = document.getElementById("state");
const warnings = document.getElementById("warnings");
let shown = null;

function copyOf(template) {
  return document.getElementById(template).content.firstElementChild.cloneNode(true);
}

function bytes(count) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let unit = 0;
  let value = count;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toPrecision(3)} ${units[unit]}`;
}

function fact(list, name, value, kind) {
  if (value === undefined || value === null || value === "") return;
  const row = document.createElement("div");
  if (kind) row.className = kind;
  const term = document.createElement("dt");
  term.textContent = name;
  const text = document.createElement("dd");
  text.textContent = value;
  row.append(term, text);
  list.append(row);
}

function cell(row, text, kind) {
  const element = document.createElement("td");
  if (kind) element.className = kind;
  element.textContent = text;
  row.append(element);
  return element;
}

function snapshotRow(snapshot) {
  const row = document.createElement("tr");
  const link = document.createElement("a");
  link.href = snapshot.url;
  link.textContent = snapshot.version;
  cell(row, "").append(link);
  cell(row, snapshot.model);
  cell(row, snapshot.encoding);
  cell(row, bytes(snapshot.length), "number");
  cell(row, bytes(snapshot.rawLength), "number");
  cell(row, `${snapshot.sha256.slice(0, 16)}…`).title = snapshot.sha256;
  return row;
}

function command(caption, line) {
  const figure = copyOf("command");
  figure.querySelector("figcaption").textContent = caption;
  figure.querySelector("code").textContent = line;
  const button = figure.querySelector("button");
  button.setAttribute("aria-label", `Copy: ${caption}`);
  button.addEventListener("click", () => copy(line, figure, button));
  return figure;
}

// The clipboard is there over HTTPS and on localhost only; elsewhere the line is selected for the keyboard.
async function copy(line, figure, button) {
  try {
    await navigator.clipboard.writeText(line);
    button.textContent = "Copied";
  } catch {
    getSelection().selectAllChildren(figure.querySelector("code"));
    button.textContent = "Selected";
  }
  setTimeout(() => { button.textContent = "Copy"; }, 1500);
}

function lifecycle(life) {
  if (life.state === "active") return "";
  const until = life.sunset ? ` Its end: ${life.sunset}.` : "";
  return `This series is ${life.state}.${until} ${life.message ?? ""}`.trim();
}

function hold(held) {
  if (!held) return "";
  return `It went back to the rows of version ${held.version} at ${new Date(held.since).toLocaleString()}, and nothing new is published.`;
}

function notice(element, series) {
  element.textContent = [lifecycle(series.lifecycle), hold(series.hold)].join(" ").trim();
  element.hidden = element.textContent === "";
}

function seriesCard(dataset, series) {
  const card = copyOf("series");
  const name = `${dataset}/${series.major}`;
  card.querySelector("h3").textContent = `Series ${name}`;
  card.querySelector(".scroll").setAttribute("aria-label", `Snapshots of ${name}`);
  notice(card.querySelector(".lifecycle"), series);
  const facts = card.querySelector("dl");
  fact(facts, "Head", series.head, "head");
  fact(facts, "Published", new Date(series.publishedAtSeconds * 1000).toLocaleString());
  fact(facts, "Floor", series.floor);
  fact(facts, "Models", series.models.join(", "));
  fact(facts, "Deltas", `${series.deltas.count} (${bytes(series.deltas.bytes)})`);
  fact(facts, "Poll every", `${series.pollSeconds} s`);
  fact(facts, "Epoch", series.epoch);
  const rows = series.snapshots.map(snapshotRow);
  card.querySelector("tbody").append(...rows);
  card.querySelector(".commands").append(...commands(dataset, series));
  return card;
}

function commands(dataset, series) {
  const origin = location.origin;
  const changes = series.changes.replace("{since}", String(series.floor));
  return [
    command("Take the newest snapshot", `curl -fL '${origin}${series.snapshot}' | gunzip > ${dataset}.sqlite`),
    command("Take the changes since a version", `curl -f --compressed '${origin}${changes}'`),
    command("Keep a verified copy", `seedbank pull ${origin} --dataset ${dataset} --model ${series.model} --store store --root root.json`),
  ];
}

function datasetSection(dataset) {
  const section = copyOf("dataset");
  section.querySelector("h2").textContent = dataset.dataset;
  const newest = dataset.series.at(-1);
  const credit = [newest?.attribution, newest?.license, newest?.source].filter(Boolean).join(" · ");
  section.querySelector(".credit").textContent = credit;
  section.querySelector(".series").append(...dataset.series.map((one) => seriesCard(dataset.dataset, one)));
  return section;
}

function say(text) {
  // A status that is set again is read out again.
  if (state.textContent !== text) state.textContent = text;
}

// Nothing is touched while nothing changed, so that a selection or a focus survives.
function show(text) {
  if (text === shown) return;
  place.replaceChildren(...JSON.parse(text).datasets.map(datasetSection));
  shown = text;
}

function warn(sentences) {
  const text = sentences.map((sentence) => `${sentence}.`).join(" ");
  if (warnings.textContent !== text) warnings.textContent = text;
  warnings.hidden = text === "";
}

// Whether signatures have expired the front says, by its own clock.
function standing(health) {
  if ((health.signatures ?? []).some((one) => one.state === "expired")) return "Signatures have expired";
  return place.children.length > 0 ? "Up to date" : "Nothing published yet";
}

async function load() {
  try {
    const [answer, health] = await Promise.all([fetch("/v1"), fetch("/readyz").then((one) => one.json())]);
    const text = await answer.text();
    warn(health.warnings ?? []);
    if (!answer.ok) throw new Error(JSON.parse(text).detail ?? `status ${answer.status}`);
    show(text);
    say(standing(health));
  } catch (error) {
    shown = null;
    say(`Not up to date: ${error.message}`);
  }
}

async function refresh() {
  if (!document.hidden) await load();
  setTimeout(refresh, refreshMilliseconds);
}

refresh();
