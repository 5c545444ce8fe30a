// A picture with its words and its numbers. Vega interprets its expressions, so that no text ever becomes a program.

import { made, short, tableOf } from "/static/core.js";

const SETTINGS = { ast: true, actions: false, renderer: "svg", defaultStyle: false, tooltip: { disableDefaultStyle: true } };

// Unless `isLate` by the time that it is drawn: the figure then shows something newer.
export async function draw(figure, said, isLate) {
  await import("/static/vega.js");
  const picture = made("div", null, { className: "picture" });
  picture.setAttribute("role", "img");
  picture.setAttribute("aria-label", said.words);
  const drawn = await window.vegaEmbed(picture, said.spec, SETTINGS);
  const numbers = made("details");
  numbers.append(made("summary", "As a table"));
  for (const table of said.tables) {
    const wide = made("div", null, { className: "wide", tabIndex: 0 });
    wide.setAttribute("role", "region");
    wide.setAttribute("aria-label", `Numbers: ${table.columns.join(", ")}`);
    wide.append(tableOf(table.columns, table.rows.map((row) => row.map(short))));
    numbers.append(wide);
  }
  if (isLate()) return drawn.finalize();
  const before = figure.drawn;
  figure.drawn = drawn;
  const room = made("div", null, { className: "wide", tabIndex: 0 });
  room.setAttribute("role", "region");
  room.setAttribute("aria-label", "The picture");
  room.append(picture);
  figure.replaceChildren(room, made("figcaption", said.words), numbers);
  if (before) before.finalize();
}
