// Sends a question, shows an investigation as it happens, and opens the document of a citation next to the answer.
"use strict";

// --- questions and messages ------------------------------------------------------------------------------------------
for (const form of document.querySelectorAll("form.ask")) {
  const text = form.querySelector("textarea");
  let isSent = false;
  if (!form.classList.contains("many")) form.addEventListener("keydown", (event) => {
    const isComposing = event.isComposing || event.keyCode === 229;  // Safari ends a composition with this code
    if (event.target !== text || event.key !== "Enter" || event.shiftKey || isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });
  form.addEventListener("submit", (event) => {
    if (isSent) event.preventDefault();  // the key is still down, or was pressed twice
    isSent = true;
  });
  addEventListener("pageshow", () => { isSent = false; });
  const over = document.createElement("p");
  over.className = "over";
  over.setAttribute("role", "status");
  form.querySelector(".row").append(over);
  const measure = () => {  // a limit of the field itself would silently cut a text that is pasted
    const [length, limit] = [text.value.length, Number(text.dataset.limit)];
    const words = `${length.toLocaleString("en")} characters; at most ${limit.toLocaleString("en")} can be sent.`;
    text.setCustomValidity(length > limit ? words : "");
    over.textContent = length > limit ? words : "";
  };
  text.addEventListener("input", measure);
  measure();
  form.querySelector(".pick-model")?.addEventListener("change", (event) => {
    const picked = event.currentTarget;
    picked.querySelector("summary b").textContent = event.target.closest("label").querySelector("b").textContent;
    picked.open = false;
    text.focus();
  });
}

// --- copying and printing an answer ----------------------------------------------------------------------------------
const copy = document.getElementById("copy");
if (copy) {
  copy.hidden = false;
  copy.addEventListener("click", async () => {
    const text = document.getElementById("as-text");
    try {
      await navigator.clipboard.writeText(text.value);
    } catch {  // over plain HTTP from another machine, there is no such clipboard
      text.hidden = false;
      text.select();
      document.execCommand("copy");
      text.hidden = true;
    }
    copy.textContent = "Copied";
    setTimeout(() => { copy.textContent = "Copy"; }, 2000);
  });
  const print = document.getElementById("print");
  print.hidden = false;
  print.addEventListener("click", () => window.print());
}

// --- an investigation in progress -------------------------------------------------------------------------------------
const live = document.querySelector("[data-stream]");
if (live) {
  const kinds = ["fileread", "embedded", "notice", "progressed", "started", "planned", "remembered", "written",
                 "reflected", "checked", "filled", "turn", "ended"];
  const address = new URL(live.dataset.stream, location);
  let stream = null;
  const place = (event) => {
    address.searchParams.set("after", event.lastEventId);
    const pieces = document.createElement("template");
    pieces.innerHTML = event.data;  // made by the server from templates in which every text is escaped
    for (const piece of pieces.content.children) {
      const target = document.getElementById(piece.dataset.place);
      if (target && target.innerHTML !== piece.innerHTML) target.replaceChildren(...piece.childNodes);
    }
    if (event.type === "ended") {
      stream.close();
      location.replace(live.dataset.done);
    }
  };
  const follow = () => {  // a browser opens six connections to a server, so hidden tabs give theirs up
    stream?.close();
    if (document.hidden) return;
    stream = new EventSource(address);
    for (const kind of kinds) stream.addEventListener(kind, place);
  };
  document.addEventListener("visibilitychange", follow);
  follow();
}

// --- the document next to the answer ---------------------------------------------------------------------------------
const viewer = document.getElementById("viewer");
if (viewer) {
  const split = viewer.parentElement;
  const sources = [...document.querySelectorAll(".sources > li[id]")];
  let current = -1;
  let opener = null;
  let wanted = 0;  // counts requests: a document that arrives after another request, or after closing, is not shown

  const bar = () => {
    const element = document.createElement("div");
    element.className = "bar";
    const position = document.createElement("span");
    position.textContent = current >= 0 ? `Source ${current + 1} of ${sources.length}` : "Document";
    const buttons = document.createElement("span");
    const turns = sources.length > 1 ? [["Previous", () => step(-1)], ["Next", () => step(1)]] : [];
    for (const [label, action] of [...turns, ["Close", close]]) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "quiet";
      button.textContent = label;
      button.addEventListener("click", action);
      buttons.append(button, " ");
    }
    element.append(position, buttons);
    return element;
  };

  const show = async (address) => {
    const own = ++wanted;
    const reply = await fetch(address, { headers: { "X-Fragment": "1" } });
    const part = document.createElement("template");
    part.innerHTML = await reply.text();
    if (own !== wanted) return;
    viewer.replaceChildren(bar(), part.content);
    viewer.hidden = false;
    split.classList.add("open");
    const mark = viewer.querySelector(".marks rect, mark");
    viewer.scrollTop = 0;
    mark?.scrollIntoView({ block: "center", inline: "center" });
  };

  const open = (index) => {
    const link = sources[index]?.querySelector("a.opens");
    if (!link) return;
    current = index;
    for (const marked of document.querySelectorAll("[aria-current]")) marked.removeAttribute("aria-current");
    sources[index].setAttribute("aria-current", "true");
    for (const cite of document.querySelectorAll(`.cite[href="#${sources[index].id}"]`)) cite.setAttribute("aria-current", "true");
    show(link.href);
  };

  const step = (by) => { if (sources.length) open((current + by + sources.length) % sources.length); };

  const close = () => {
    wanted += 1;
    viewer.hidden = true;
    split.classList.remove("open");
    opener?.focus();
  };

  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a.cite, a.opens, .viewer a[href*='/document?']");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    opener = viewer.contains(link) ? opener : link;
    const source = link.classList.contains("cite") ? document.getElementById(link.hash.slice(1)) : link.closest(".sources > li");
    const index = source && !viewer.contains(link) ? sources.indexOf(source) : -1;
    if (index >= 0) open(index);
    else { current = -1; show(link.href); }
  });

  document.addEventListener("keydown", (event) => {
    if (event.target.closest("input, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
    document.body.classList.toggle("no-peek", event.key !== "Tab");  // a key that moves on leaves no quote hanging
    if (event.key === "Escape") close();
    if (event.key === "j" || event.key === "n") step(1);
    if (event.key === "k" || event.key === "p") step(current < 0 ? 0 : -1);
  });
}

// --- a page of a document on a small screen: a tap enlarges it, and another one shows it whole -------------------------
document.addEventListener("click", (event) => {
  const isSmall = matchMedia("(max-width: 61.99rem)").matches && getSelection().isCollapsed;
  if (isSmall) event.target.closest?.(".sheet")?.classList.toggle("large");
});
