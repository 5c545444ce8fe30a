// Other values: what is believed of them, while a slider moves.

import { ask, by, exact } from "/static/core.js";

const form = by("try-form");
const { id, target, kind } = form.dataset;
const inputs = [...form.querySelectorAll("[data-name]")];
const few = (value) => String(Number(Number(value).toPrecision(4)));
// From the least to the largest value of the table, and farther where an interval goes farther.
const seen = { low: Number(form.dataset.low), high: Number(form.dataset.high) };
let asked = 0;
let waiting;

function values() {
  return Object.fromEntries(inputs.map((i) => [i.dataset.name, i.dataset.type === "number" ? Number(i.value) : i.value]));
}

// A target may have the name of what is said of it.
const part = (said, name) => said[name === target ? `${name} of the belief` : name];

// Where the variance comes from; what is left besides noise and what rows would teach is of finite computing.
function budget(noise, toLearn) {
  if (typeof noise !== "number" || typeof toLearn !== "number") return "";
  const percent = (share) => `${Math.round(100 * share)} %`;
  const rest = 1 - noise - toLearn;
  const computing = rest >= 0.005 ? `, ${percent(rest)} comes from computing` : "";
  return `${percent(noise)} of the variance is noise, ${percent(toLearn)} is still to be learnt${computing}.`;
}

function shown(said) {
  by("far").hidden = !part(said, "far from the data");
  if (kind === "class") {
    const chance = said[`probability of ${said[target]}`];
    by("answer").textContent = `${said[target]} with ${Math.round(100 * chance)} %`;
    by("budget").textContent = `With 90 % one of: ${part(said, "one of") || "none that fits"}`;
    by("bar").hidden = true;
    return;
  }
  const low = part(said, "low"), high = part(said, "high");
  by("answer").textContent = `${target} is ${few(said[target])}, between ${few(low)} and ${few(high)} with 90 %`;
  by("budget").textContent = budget(part(said, "share of noise"), part(said, "share to learn"));
  seen.low = Math.min(seen.low, low);
  seen.high = Math.max(seen.high, high);
  by("least").textContent = few(seen.low);
  by("most").textContent = few(seen.high);
  const span = seen.high - seen.low || 1;
  by("interval").style.left = `${(100 * (low - seen.low)) / span}%`;
  by("interval").style.width = `${(100 * (high - low)) / span}%`;
  by("mean").style.left = `${(100 * (said[target] - seen.low)) / span}%`;
}

async function renew() {
  const number = ++asked;
  for (const input of inputs) {
    const output = input.parentElement.querySelector("output");
    if (output) output.textContent = exact(Number(input.value));
  }
  try {
    const said = await ask(`/api/tables/${id}/predict`, { rows: [values()] });
    if (number === asked) shown(said.rows[0]);
  } catch (error) {
    if (number === asked) by("answer").textContent = error.message;
  }
}

form.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(renew, 60);
});
form.addEventListener("submit", (event) => event.preventDefault());
renew();
