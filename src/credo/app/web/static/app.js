"use strict";
// Whatever comes from a table is shown as text, never as markup.

const by = (id) => document.getElementById(id);

function made(tag, text, settings = {}) {
  const element = document.createElement(tag);
  if (text !== undefined && text !== null) element.textContent = text;
  return Object.assign(element, settings);
}

function say(place, text, wrong = false) {
  place.textContent = text;
  place.classList.toggle("wrong", wrong);
}

async function ask(path, body, settings = {}) {
  const given = body === undefined ? {} : { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const answer = await fetch(path, { ...given, ...settings });
  const found = await answer.json();
  if (!answer.ok) throw new Error(found.error || "This did not work.");
  return found;
}

async function busy(form, place, work) {
  const button = form.querySelector("button");
  if (button) button.disabled = true;
  try {
    await work();
  } catch (error) {
    say(place, error.message, true);
  } finally {
    if (button) button.disabled = false;
  }
}

function rowOf(cells, tag = "td") {
  const row = made("tr");
  for (const cell of cells) {
    const element = cell instanceof Node ? made("td") : made(tag, cell);
    if (cell instanceof Node) element.append(cell);
    if (tag === "th") element.scope = "col";
    row.append(element);
  }
  return row;
}

// -- the first page --------------------------------------------------------------------------------------------------

function home() {
  by("upload").addEventListener("submit", (event) => {
    event.preventDefault();
    const file = by("file").files[0];
    busy(event.target, by("message"), async () => {
      say(by("message"), "Uploading…");
      const entry = await ask(`/api/tables?name=${encodeURIComponent(file.name)}`, undefined, { method: "POST", body: file });
      location.assign(`/tables/${entry.id}`);
    });
  });
}

// -- a table ---------------------------------------------------------------------------------------------------------

const SCALES = ["nominal", "ordinal", "interval", "ratio", "absolute", "time"];

function table() {
  const id = by("table").dataset.id;
  const scales = {};

  function chosen(column) {
    const select = made("select");
    select.setAttribute("aria-label", `Scale of ${column.name}`);
    for (const scale of SCALES) select.append(made("option", scale, { selected: scale === column.scale }));
    select.addEventListener("change", () => {
      scales[column.name] = select.value;
      show().catch((error) => {
        delete scales[column.name];
        say(by("message"), error.message, true);
        return show();
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
      select.replaceChildren(...said.columns.map((c) => made("option", c.name)));
      select.value = before || said.columns[said.columns.length - 1].name;
    }
  }

  function finished(result) {
    by("words").replaceChildren(...result.words.map((word) => made("li", word)));
    by("learned").hidden = false;
    by("report").focus();
  }

  async function watched() {
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

  by("next").addEventListener("submit", (event) => {
    event.preventDefault();
    busy(event.target, by("message"), async () => {
      say(by("message"), "Looking for the next runs…");
      const said = await ask(`/api/tables/${id}/next`, {
        target: by("next-target").value, direction: by("next-direction").value, n: Number(by("count").value),
      });
      const names = Object.keys(said.runs[0].params);
      const short = (value) => (typeof value === "number" ? String(Number(value.toPrecision(5))) : String(value));
      by("next-names").replaceChildren(rowOf([...names, "why"], "th"));
      by("next-rows").replaceChildren(...said.runs.map((run) => rowOf([...names.map((n) => short(run.params[n])), run.why])));
      by("next-file").href = URL.createObjectURL(new Blob([said.csv], { type: "text/csv" }));
      by("suggested").hidden = false;
      say(by("message"), `${said.runs.length} runs to make next.`);
    });
  });

  show().catch((error) => say(by("message"), error.message, true));
}

// -- other values ----------------------------------------------------------------------------------------------------

function trying() {
  const form = by("try-form");
  const { id, target, kind } = form.dataset;
  const inputs = [...form.querySelectorAll("[data-name]")];
  const short = (value) => Number(value).toPrecision(4).replace(/\.?0+$/, "");
  const seen = { low: Infinity, high: -Infinity };
  let asked = 0;

  function values() {
    return Object.fromEntries(inputs.map((i) => [i.dataset.name, i.dataset.type === "number" ? Number(i.value) : i.value]));
  }

  function shown(said) {
    by("far").hidden = !said["far from the data"];
    if (kind === "class") {
      const chance = said[`probability of ${said[target]}`];
      by("answer").textContent = `${said[target]} with ${Math.round(100 * chance)} %`;
      by("budget").textContent = `With 90 % one of: ${said["one of"] || "none that fits"}`;
      by("bar").hidden = true;
      return;
    }
    by("answer").textContent = `${target} is ${short(said[target])}, between ${short(said.low)} and ${short(said.high)} with 90 %`;
    const noise = said["share of noise"];
    by("budget").textContent = noise === undefined ? "" :
      `${Math.round(100 * noise)} % of the variance is noise, ${Math.round(100 * (1 - noise))} % is still to be learnt.`;
    seen.low = Math.min(seen.low, said.low);
    seen.high = Math.max(seen.high, said.high);
    const place = (value) => `${(100 * (value - seen.low)) / (seen.high - seen.low || 1)}%`;
    by("interval").style.left = place(said.low);
    by("interval").style.width = `${(100 * (said.high - said.low)) / (seen.high - seen.low || 1)}%`;
    by("mean").style.left = place(said[target]);
  }

  async function renew() {
    const number = ++asked;
    for (const input of inputs) {
      const output = input.parentElement.querySelector("output");
      if (output) output.textContent = short(input.value);
    }
    try {
      const [said] = await ask(`/api/tables/${id}/predict`, { rows: [values()] });
      if (number === asked) shown(said);
    } catch (error) {
      by("answer").textContent = error.message;
    }
  }

  let waiting;
  form.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(renew, 60);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  renew();
}

if (by("upload")) home();
if (by("table")) table();
if (by("try-form")) trying();
