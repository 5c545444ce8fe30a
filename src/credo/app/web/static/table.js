// A table: what its columns mean, learning one of them, what to measure next.

import { ask, busy, by, made, rowOf, say, selectOf, short } from "/static/core.js";

const SCALES = ["nominal", "ordinal", "interval", "ratio", "absolute", "time"];
const id = by("table").dataset.id;
const scales = {};

function chosen(column) {
  const select = selectOf(SCALES.map((scale) => [scale, scale]), column.scale);
  select.setAttribute("aria-label", `Scale of ${column.name}`);
  select.addEventListener("change", () => {
    scales[column.name] = select.value;
    show().catch((error) => {
      delete scales[column.name];
      return show().then(() => say(by("message"), error.message, true));
    });
  });
  return select;
}

async function show() {
  const said = await ask(`/api/tables/${id}/columns`, { scales });
  say(by("message"), `${said.rows} rows, ${said.columns.length} columns. ${said.notes.join(" ")}`);
  by("columns").replaceChildren(...said.columns.map((c) => rowOf([c.name, chosen(c), c.values, String(c.missing), c.why])));
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

if (by("table").dataset.running) busy(by("learn"), by("progress"), watched);

// -- the next runs ---------------------------------------------------------------------------------------------------

by("next").addEventListener("submit", (event) => {
  event.preventDefault();
  const target = by("next-target").value, direction = by("next-direction").value;
  const asStudy = event.submitter && event.submitter.id === "as-study";
  busy(event.target, by("next-message"), async () => {
    if (asStudy) {
      say(by("next-message"), "Beginning the study…");
      const made = await ask("/api/studies", { name: by("study-name").value, directions: { [target]: direction }, table: id });
      location.assign(`/studies/${made.id}`);
      return;
    }
    say(by("next-message"), "Looking for the next runs…");
    const said = await ask(`/api/tables/${id}/next`, { target, direction, n: Number(by("count").value) });
    const names = Object.keys(said.runs[0].params);
    by("next-names").replaceChildren(rowOf([...names, "why"], "th"));
    by("next-rows").replaceChildren(...said.runs.map((run) => rowOf([...names.map((n) => short(run.params[n])), run.why])));
    by("next-file").href = URL.createObjectURL(new Blob([said.csv], { type: "text/csv" }));
    by("suggested").hidden = false;
    say(by("next-message"), `${said.runs.length} runs to make next.`);
  });
});

show().catch((error) => say(by("message"), error.message, true));
