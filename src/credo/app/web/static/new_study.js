// A new study: what can be chosen, what is measured, what must not be exceeded.

import { ask, busy, by, labelled, made, say, selectOf } from "/static/core.js";

const KINDS = [["number", "a number"], ["whole", "a whole number"], ["choice", "one of several"], ["order", "one of several in an order"]];

// A row of fields that can be taken away again.
function rowIn(place, fields, name) {
  const row = made("div", null, { className: "fields" });
  const away = made("button", "Remove", { type: "button", className: "quiet" });
  away.setAttribute("aria-label", `Remove this ${name}`);
  away.addEventListener("click", () => {
    const next = row.nextElementSibling || row.previousElementSibling;
    row.remove();
    (next ? next.querySelector("input") : by(`add-${name}`)).focus();
  });
  row.append(...fields, away);
  place.append(row);
  return row;
}

function parameter() {
  const name = made("input", null, { type: "text", required: true, maxLength: 500 });
  const kind = selectOf(KINDS, "number");
  const low = made("input", null, { type: "number", step: "any", required: true });
  const high = made("input", null, { type: "number", step: "any", required: true });
  const step = made("input", null, { type: "number", step: "any", placeholder: "none" });
  const log = made("input", null, { type: "checkbox" });
  const options = made("input", null, { type: "text", placeholder: "water, ethanol" });
  const boxes = { low: labelled("from", low), high: labelled("to", high), step: labelled("in steps of", step), log: labelled("log scale", log), options: labelled("options, with commas", options) };
  const row = rowIn(by("parameters"), [labelled("name", name), labelled("it is", kind), ...Object.values(boxes)], "parameter");
  const change = () => {
    const isChoice = kind.value === "choice" || kind.value === "order";
    for (const part of ["low", "high", "step", "log"]) boxes[part].hidden = isChoice;
    boxes.options.hidden = !isChoice;
    low.required = high.required = !isChoice;
    options.required = isChoice;
  };
  kind.addEventListener("change", change);
  change();
  row.given = () => {
    if (boxes.options.hidden) {
      const steps = step.value === "" ? null : Number(step.value);
      return [name.value, { low: Number(low.value), high: Number(high.value), step: steps, log: log.checked, whole: kind.value === "whole" }];
    }
    const parts = options.value.split(",").map((part) => part.trim()).filter((part) => part);
    return [name.value, { options: parts, ordered: kind.value === "order" }];
  };
  return name;
}

function objective(said = "") {
  const name = made("input", said, { type: "text", required: true, maxLength: 500, value: said });
  const way = selectOf([["maximize", "more"], ["minimize", "less"]], "maximize");
  rowIn(by("objectives"), [labelled("what is measured", name), labelled("what is better", way)], "objective").given = () => [name.value, way.value];
  return name;
}

function bound() {
  const name = made("input", null, { type: "text", required: true, maxLength: 400 });
  const sign = selectOf([["<=", "at most"], [">=", "at least"]], "<=");
  const value = made("input", null, { type: "number", step: "any", required: true });
  const fields = [labelled("what is measured", name), labelled("has to be", sign), labelled("this", value)];
  rowIn(by("bounds"), fields, "bound").given = () => `${name.value} ${sign.value} ${value.value}`;
  return name;
}

const given = (id) => [...by(id).children].map((row) => row.given());

by("add-parameter").addEventListener("click", () => parameter().focus());
by("add-objective").addEventListener("click", () => objective().focus());
by("add-bound").addEventListener("click", () => bound().focus());

by("begin").addEventListener("submit", (event) => {
  event.preventDefault();
  busy(event.target, by("message"), async () => {
    const parameters = given("parameters");
    const twice = parameters.map(([name]) => name).find((name, i, names) => names.indexOf(name) !== i);
    if (twice !== undefined) throw new Error(`${twice} is there twice.`);
    say(by("message"), "Beginning…");
    const made = await ask("/api/studies", {
      name: by("name").value,
      directions: Object.fromEntries(given("objectives")),
      parameters: Object.fromEntries(parameters),
      bounds: given("bounds"),
    });
    location.assign(`/studies/${made.id}`);
  });
});

objective("value");
parameter();
