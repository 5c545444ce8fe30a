// A table: what its columns mean, learning one of them, what to measure next.

import { ask, busy, by, exact, made, rowOf, say, selectOf } from "/static/core.js";

const SCALES = ["nominal", "ordinal", "interval", "ratio", "absolute", "time"];
const id = by("table").dataset.id;
// What was said of columns, also when what was learnt was begun.
let scales = JSON.parse(by("table").dataset.scales);
let possible = scales; // the latest of them that the table could be read by
let asked = 0;

async function changed(name, scale) {
  const said = scales = { ...scales, [name]: scale };
  try {
    await show();
  } catch (error) {
    if (said !== scales) return; // something newer was said
    scales = possible;
    await show();
    say(by("message"), error.message, true);
  }
}

function rowOfColumn(column) {
  const select = selectOf(SCALES.map((scale) => [scale, scale]), column.scale);
  select.setAttribute("aria-label", `Scale of ${column.name}`);
  select.addEventListener("change", () => changed(column.name, select.value).catch((error) => say(by("message"), error.message, true)));
  return rowOf([column.name, select, column.values, String(column.missing), column.why]);
}

// Rows that are there are changed in place: the focus stays where it is.
function showColumns(columns) {
  const rows = [...by("columns").children];
  if (rows.length !== columns.length) return by("columns").replaceChildren(...columns.map(rowOfColumn));
  for (const [i, column] of columns.entries()) {
    const [, scale, values, missing, why] = rows[i].children;
    scale.firstChild.value = column.scale;
    values.textContent = column.values;
    missing.textContent = column.missing;
    why.textContent = column.why;
  }
}

async function show() {
  const number = ++asked, given = scales;
  const said = await ask(`/api/tables/${id}/columns`, { scales });
  possible = given;
  if (number !== asked) return;
  say(by("message"), `${said.rows} rows, ${said.columns.length} columns. ${said.notes.join(" ")}`);
  showColumns(said.columns);
  by("first-names").replaceChildren(rowOf(said.columns.map((c) => c.name), "th"));
  by("first-rows").replaceChildren(...said.first.map((row) => rowOf(row)));
  for (const select of [by("target"), by("next-target")]) {
    const before = select.value;
    select.replaceChildren(...said.columns.map((c) => made("option", c.name, { value: c.name })));
    select.value = before || select.dataset.target || said.columns[said.columns.length - 1].name;
  }
}

// -- learning --------------------------------------------------------------------------------------------------------

function finished(result) {
  by("words").replaceChildren(...result.words.map((word) => made("li", word)));
  by("learned").hidden = false;
  by("report").focus();
  return result;
}

async function watched() {
  by("meter").hidden = false;
  try {
    for (;;) {
      const job = await ask(`/api/tables/${id}/job`);
      if (job.state === "failed") throw new Error(job.error);
      if (job.state === "done") {
        say(by("progress"), "Done.");
        return finished(job.result);
      }
      say(by("progress"), `Learning: ${job.phase}…`);
      await new Promise((wait) => setTimeout(wait, 400));
    }
  } finally {
    by("meter").hidden = true;
  }
}

by("learn").addEventListener("submit", (event) => {
  event.preventDefault();
  by("learned").hidden = true;
  busy(event.target, by("progress"), async () => {
    const direction = by("direction").value || null;
    say(by("progress"), "Learning: starting…");
    await ask(`/api/tables/${id}/learn`, { target: by("target").value, scales, direction });
    await watched();
  });
});

// A page that is opened meanwhile does not know what was said of columns when learning began.
if (by("table").dataset.running) {
  busy(by("learn"), by("progress"), async () => {
    scales = (await watched()).scales;
    await show();
  });
}

// -- the next runs ---------------------------------------------------------------------------------------------------

by("next").addEventListener("submit", (event) => {
  event.preventDefault();
  const target = by("next-target").value, direction = by("next-direction").value;
  const asStudy = event.submitter && event.submitter.id === "as-study";
  busy(event.target, by("next-message"), async () => {
    if (asStudy) {
      say(by("next-message"), "Beginning the study…");
      const made = await ask("/api/studies", { name: by("study-name").value, directions: { [target]: direction }, table: id, scales });
      location.assign(`/studies/${made.id}`);
      return;
    }
    say(by("next-message"), "Looking for the next runs…");
    const said = await ask(`/api/tables/${id}/next`, { target, direction, n: Number(by("count").value), scales });
    const names = Object.keys(said.runs[0].params);
    by("next-names").replaceChildren(rowOf([...names, "why"], "th"));
    by("next-rows").replaceChildren(...said.runs.map((run) => rowOf([...names.map((n) => exact(run.params[n])), run.why])));
    by("next-file").href = URL.createObjectURL(new Blob([said.csv], { type: "text/csv" }));
    by("suggested").hidden = false;
    say(by("next-message"), [`${said.runs.length} runs to make next.`, ...said.notes.map((note) => `${note}.`)].join(" "));
  });
});

// -- and away -----------------------------------------------------------------------------------------------------------

by("delete").addEventListener("submit", (event) => {
  event.preventDefault();
  busy(event.target, by("delete-message"), async () => {
    await ask(`/api/tables/${id}`, undefined, { method: "DELETE" });
    location.assign("/");
  });
});

show().catch((error) => say(by("message"), error.message, true));
