// A study: what to measure next and why, what came out, where it stands, pictures.

import { draw } from "/static/chart.js";
import { ask, busy, by, exact, labelled, made, rowOf, say } from "/static/core.js";

const id = by("study").dataset.id;
const path = `/api/studies/${id}`;
const TITLES = {
  history: "How it went", slice: "The belief along a parameter", contour: "The belief over two parameters",
  parallel: "All parameters", pareto: "The front", timeline: "When trials were made",
};
let study;
// How often a study, a standing, a picture was asked for: an answer to an earlier question is passed over.
const asked = { study: 0, standing: 0, picture: 0 };

function question(kind) {
  const number = ++asked[kind];
  return () => number !== asked[kind];
}

// -- what to measure next --------------------------------------------------------------------------------------------

function pointOf(trial) {
  const list = made("dl", null, { className: "point" });
  for (const [name, value] of Object.entries(trial.params)) {
    const pair = made("div");
    pair.append(made("dt", name), made("dd", exact(value)));
    list.append(pair);
  }
  return list;
}

function keptAs(number, failed, accepted) {
  if (!accepted) return `Trial ${number} went to somebody else meanwhile: what you told is noted, and does not count.`;
  return failed ? `Trial ${number} is kept as failed.` : `The result of trial ${number} is kept.`;
}

function cardOf(trial) {
  const card = made("li", null, { className: "card" });
  const title = made("h3", `Trial ${trial.number}`);
  const form = made("form");
  const fields = made("div", null, { className: "fields" });
  const values = study.outcomes.map((name) => [name, made("input", null, { type: "number", step: "any", required: true })]);
  const note = made("input", null, { type: "text", maxLength: 1000 });
  fields.append(...values.map(([name, field]) => labelled(name, field)), labelled("note", note));
  const keep = made("button", "Keep the result");
  const fail = made("button", "It failed", { type: "submit", className: "quiet", formNoValidate: true, value: "failed" });
  for (const button of [keep, fail]) button.setAttribute("aria-label", `${button.textContent} of trial ${trial.number}`);
  const message = made("p", "", { role: "status" });
  form.append(fields, keep, " ", fail, message);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const failed = event.submitter === fail;
    busy(form, message, async () => {
      const told = Object.fromEntries(values.map(([name, field]) => [name, Number(field.value)]));
      const { accepted } = await ask(`${path}/trials/${trial.number}`, failed ? { failed, note: note.value } : { values: told, note: note.value });
      await renew();
      say(by("message"), keptAs(trial.number, failed, accepted), !accepted);
      (by("open").querySelector("input") || by("suggest").querySelector("button")).focus();
    });
  });
  card.append(title, pointOf(trial), made("p", trial.why, { className: "why" }), form);
  return card;
}

by("suggest").addEventListener("submit", (event) => {
  event.preventDefault();
  busy(event.target, by("message"), async () => {
    say(by("message"), "Looking for what tells most…");
    const found = await ask(`${path}/ask`, { n: Number(by("count").value) });
    await renew();
    say(by("message"), found.length === 1 ? "One trial to measure." : `${found.length} trials to measure.`);
    const first = by("open").querySelector("input");
    if (first) first.focus();
  });
});

// -- where it stands -------------------------------------------------------------------------------------------------

function shown() {
  const goal = Object.entries(study.directions).map(([name, way]) => `${way} ${name}`);
  by("goal").textContent = [...goal, ...study.bounds].join(", ");
  document.title = `${study.name} – credo`;
  by("title").textContent = study.name;
  by("space").replaceChildren(...study.parameters.map((p) => rowOf([p.name, p.values])));
  const open = study.trials.filter((trial) => trial.state === "running" || trial.state === "waiting");
  // What is being filled in stays as it is.
  const there = new Map([...by("open").children].map((card) => [card.number, card]));
  by("open").replaceChildren(...open.map((trial) => there.get(trial.number) || Object.assign(cardOf(trial), { number: trial.number })));
  by("none").hidden = open.length > 0;
  const names = study.parameters.map((p) => p.name);
  const best = study.directions && Object.keys(study.directions).length > 1 ? "on the front" : "best measured";
  by("trial-names").replaceChildren(rowOf(["trial", ...names, ...study.outcomes, "state", "note"], "th"));
  by("trials").replaceChildren(...[...study.trials].reverse().map((trial) => {
    const isBest = study.best.includes(trial.number);
    const row = rowOf([
      String(trial.number), ...names.map((name) => exact(trial.params[name])),
      ...study.outcomes.map((name) => exact(trial.values ? trial.values[name] : null)),
      isBest ? `${trial.state}, ${best}` : trial.state, trial.note,
    ]);
    row.classList.toggle("best", isBest);
    return row;
  }));
  const { done, failed, running, waiting } = study.counts;
  by("counts").textContent = `${done} done, ${failed} failed, ${running + waiting} open.`;
}

async function stands() {
  if (!study.counts.done) return;
  const isLate = question("standing");
  try {
    const lines = await ask(`${path}/standing`);
    if (isLate()) return;
    by("standing").replaceChildren(...lines.map((line) => made("li", line)));
  } catch (error) {
    if (isLate()) return;
    by("standing").replaceChildren(made("li", error.message, { className: "wrong" }));
  }
}

// -- pictures --------------------------------------------------------------------------------------------------------

const columnSelects = () => [by("first"), by("second")];

// Which columns can be chosen depends on the picture.
function choices() {
  if (!by("kind").options.length) {
    by("kind").append(...Object.keys(study.charts).map((kind) => made("option", TITLES[kind] || kind, { value: kind })));
  }
  const columns = study.charts[by("kind").value];
  for (const [i, select] of columnSelects().entries()) {
    const before = select.value, names = columns[i] || [];
    select.parentElement.hidden = !names.length;
    select.replaceChildren(...names.map((name) => made("option", name, { value: name })));
    select.value = names.includes(before) ? before : names[Math.min(i, names.length - 1)];
  }
  if (columns.length > 1 && by("first").value === by("second").value) {
    by("second").value = columns[1].find((name) => name !== by("first").value);
  }
  return columnSelects().slice(0, columns.length).map((select) => select.value);
}

async function picture() {
  const columns = choices(), isLate = question("picture");
  if (!study.counts.done) return say(by("picture-message"), "Pictures come with the first results.");
  const kind = by("kind").value;
  say(by("picture-message"), "Drawing…");
  try {
    const said = await ask(`${path}/chart`, { kind, columns });
    if (isLate()) return;
    await draw(by("picture"), said, isLate);
    if (!isLate()) say(by("picture-message"), "");
  } catch (error) {
    if (isLate()) return;
    by("picture").replaceChildren();
    say(by("picture-message"), error.message, true);
  }
}

for (const name of ["kind", "first", "second"]) by(name).addEventListener("change", picture);

async function renew() {
  const isLate = question("study");
  const found = await ask(path);
  if (isLate()) return;
  study = found;
  shown();
  picture().then(stands);
}

renew().catch((error) => {
  by("title").textContent = "There is nothing here";
  say(by("message"), error.message, true);
  for (const section of document.querySelectorAll("section")) section.hidden = true;
});
