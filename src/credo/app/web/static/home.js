// The first page: upload a table; the tables and studies that are here.

import { ask, busy, by, made, say } from "/static/core.js";

by("upload").addEventListener("submit", (event) => {
  event.preventDefault();
  const file = by("file").files[0];
  busy(event.target, by("message"), async () => {
    say(by("message"), "Uploading…");
    const entry = await ask(`/api/tables?name=${encodeURIComponent(file.name)}`, undefined, { method: "POST", body: file });
    location.assign(`/tables/${entry.id}`);
  });
});

function lineOf(study) {
  const line = made("li");
  line.append(made("a", study.name, { href: `/studies/${study.id}` }));
  line.append(made("span", ` ${study.done} done, ${study.running + study.waiting} open`, { className: "soft" }));
  return line;
}

async function studies() {
  const place = by("studies");
  try {
    const found = await ask("/api/studies");
    place.replaceChildren(...(found.length ? found.map(lineOf) : [made("li", "None yet.", { className: "soft" })]));
  } catch (error) {
    place.replaceChildren(made("li", error.message, { className: "wrong" }));
  }
}

studies();
