// What every page needs. Whatever comes from a table or a person is shown as text, never as markup.

export const by = (id) => document.getElementById(id);

export function made(tag, text, settings = {}) {
  const element = document.createElement(tag);
  if (text !== undefined && text !== null) element.textContent = text;
  return Object.assign(element, settings);
}

export function say(place, text, wrong = false) {
  place.textContent = text;
  place.classList.toggle("wrong", wrong);
}

// What a person sets or has measured: whoever types it again means the same value, to the last figure.
export const exact = (value) => (value === null || value === undefined ? "" : String(value));

// What is only read. Whole numbers count something, and stay as they are.
export const short = (value) => {
  const isRounded = typeof value === "number" && !Number.isInteger(value);
  return isRounded ? String(Number(value.toPrecision(5))) : exact(value);
};

export async function ask(path, body, settings = {}) {
  const given = body === undefined ? {} : { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const answer = await fetch(path, { ...given, ...settings });
  let found;
  try {
    found = await answer.json();
  } catch {
    throw new Error(`This did not work (${answer.status}).`);
  }
  if (!answer.ok) throw new Error(found.error || "This did not work.");
  return found;
}

// Do something that takes a while, with the buttons of a form off, and say what went wrong.
export async function busy(form, place, work) {
  const buttons = [...form.querySelectorAll("button")];
  for (const button of buttons) button.disabled = true;
  try {
    await work();
  } catch (error) {
    say(place, error.message, true);
  } finally {
    for (const button of buttons) button.disabled = false;
  }
}

export function rowOf(cells, tag = "td") {
  const row = made("tr");
  for (const cell of cells) {
    const element = cell instanceof Node ? made("td") : made(tag, cell);
    if (cell instanceof Node) element.append(cell);
    if (tag === "th") element.scope = "col";
    row.append(element);
  }
  return row;
}

export function tableOf(columns, rows) {
  const table = made("table");
  const head = made("thead"), body = made("tbody");
  head.append(rowOf(columns, "th"));
  body.append(...rows.map((row) => rowOf(row)));
  table.append(head, body);
  return table;
}

// A label with the field that it names.
export function labelled(text, field) {
  const box = made("div");
  field.id ||= `field-${labelled.count++}`;
  box.append(made("label", text, { htmlFor: field.id }), field);
  return box;
}
labelled.count = 1;

export function selectOf(options, chosen) {
  const select = made("select");
  for (const [value, text] of options) select.append(made("option", text, { value, selected: value === chosen }));
  return select;
}
