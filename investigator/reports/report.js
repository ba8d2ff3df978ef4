// Keys for the next and the previous citation: its source is shown and marked. Without this script, the link leads there.
"use strict";
const cites = [...document.querySelectorAll("a.cite")];
let current = -1;
document.addEventListener("keydown", (event) => {
  const by = { j: 1, n: 1, k: -1, p: -1 }[event.key];
  if (!by || !cites.length || event.ctrlKey || event.metaKey || event.altKey) return;
  current = current < 0 ? (by > 0 ? 0 : cites.length - 1) : (current + by + cites.length) % cites.length;
  for (const marked of document.querySelectorAll("[aria-current]")) marked.removeAttribute("aria-current");
  const source = document.getElementById(cites[current].hash.slice(1));
  source?.setAttribute("aria-current", "true");
  source?.scrollIntoView({ block: "center" });
  source?.setAttribute("tabindex", "-1");
  source?.focus({ preventScroll: true });
});
