// Does three things on the pages of a folder: adds files, finds documents by name, and fills a matrix as it is read.
"use strict";

// --- adding files -----------------------------------------------------------------------------------------------------
const drop = document.getElementById("drop");
if (drop) {
  const MOST_FILES = 20000;
  const AT_ONCE = 3;
  const STOPPING = [0, 401, 403, 507];  // no other file would be accepted either
  const most = Number(drop.dataset.most);
  const adding = document.getElementById("adding");
  const [phase, bar, detail] = adding.children;
  const refusedList = document.getElementById("refused");
  const thenRead = document.getElementById("then-read");
  const size = (bytes) => bytes < 1e6 ? `${Math.ceil(bytes / 1e3).toLocaleString()} kB` : `${Math.round(bytes / 1e6).toLocaleString()} MB`;
  let busy = false;

  const walk = async (entry, path, into, refused) => {  // what a browser hands over of a dropped folder
    if (into.length > MOST_FILES) return;
    if (entry.isFile) {
      try {
        into.push([path + entry.name, await new Promise((done, failed) => entry.file(done, failed))]);
      } catch {
        refused.push(`${path}${entry.name}: the browser could not open it`);
      }
      return;
    }
    const reader = entry.createReader();
    for (;;) {
      const some = await new Promise((done, failed) => reader.readEntries(done, failed));
      if (!some.length) return;
      for (const inner of some) await walk(inner, `${path}${entry.name}/`, into, refused);
    }
  };

  const send = (path, file, progress) => new Promise((done) => {
    const request = new XMLHttpRequest();
    request.open("PUT", `${drop.dataset.to}?${new URLSearchParams({ path, existing: document.getElementById("existing").value })}`);
    request.upload.onprogress = (event) => progress(event.loaded);
    request.onload = () => {
      progress(file.size);
      let reply = {};
      try { reply = JSON.parse(request.responseText); } catch { /* a page, such as that of a login that has ended */ }
      done({ status: request.status, ...reply });
    };
    request.onerror = () => done({ status: 0, detail: "the connection was lost: the file may have changed, or the server has stopped" });
    request.send(file);
  });

  const add = async (files, refused) => {
    if (busy || (!files.length && !refused.length)) return;
    busy = true;
    adding.hidden = false;
    const hidden = files.filter(([path]) => path.split("/").some((name) => name.startsWith(".")));
    const wanted = files.filter((item) => !hidden.includes(item) && (item[1].size <= most || !refused.push(
      `${item[0]}: it has ${size(item[1].size)}, and a file may have at most ${size(most)}`)));
    const loaded = new Map();
    const total = wanted.reduce((sum, [, file]) => sum + file.size, 0);
    let done = 0, added = 0, stopped = "";
    const show = () => {
      const bytes = [...loaded.values()].reduce((sum, own) => sum + own, 0) + loaded.done;
      phase.textContent = `Adding files: ${done.toLocaleString()} of ${wanted.length.toLocaleString()}`;
      detail.textContent = `${size(bytes)} of ${size(total)}`;
      bar.value = total ? bytes / total : 1;
    };
    loaded.done = 0;
    const next = wanted.values();
    const work = async () => {
      for (const [path, file] of next) {
        if (stopped) return;
        const reply = await send(path, file, (bytes) => { loaded.set(path, bytes); show(); });
        loaded.delete(path);
        loaded.done += file.size;
        done += 1;
        if (reply.status === 201) added += 1;
        else refused.push(reply.detail || `${path}: refused (${reply.status})`);
        if (STOPPING.includes(reply.status)) stopped = [reply.detail, reply.hint].join(". ");
        show();
      }
    };
    show();
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    busy = false;
    phase.textContent = `${added.toLocaleString()} of ${(files.length - hidden.length).toLocaleString()} files added` +
      (hidden.length ? `; ${hidden.length.toLocaleString()} hidden files skipped` : "");
    detail.textContent = stopped && `Stopped: ${stopped}`;
    const list = document.createElement("ul");
    list.className = "asked";
    for (const line of refused.slice(0, 20)) list.append(Object.assign(document.createElement("li"), { textContent: line, dir: "auto" }));
    if (refused.length > 20) list.append(Object.assign(document.createElement("li"), { textContent: `and ${refused.length - 20} more` }));
    refusedList.replaceChildren(...(refused.length ? ["These files were not added:", list] : []));
    if (!added) return;
    if (!refused.length) return thenRead.requestSubmit();
    const reply = await fetch(thenRead.action, { method: "POST", redirect: "manual" }).catch(() => null);  // stays on this page
    const isBegun = reply?.type === "opaqueredirect";
    refusedList.append(isBegun ? "The other files are being read." : "The other files were added, but could not be read yet:");
    thenRead.hidden = isBegun;
  };

  const limited = (files, refused) => files.length <= MOST_FILES ? add(files, refused)
    : add([], [`At most ${MOST_FILES.toLocaleString()} files can be added at once; nothing was added. Add the folder in parts.`]);

  document.addEventListener("dragover", (event) => { event.preventDefault(); drop.classList.add("over"); });
  document.addEventListener("dragleave", (event) => { if (!event.relatedTarget) drop.classList.remove("over"); });
  document.addEventListener("drop", async (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry()).filter(Boolean);
    const files = [], refused = [];
    for (const entry of entries) await walk(entry, "", files, refused);
    limited(files, refused);
  });
  for (const id of ["pick-files", "pick-folder"]) {
    const input = document.getElementById(id);
    input.addEventListener("change", () => {
      limited([...input.files].map((file) => [file.webkitRelativePath || file.name, file]), []);
      input.value = "";
    });
  }
}

// --- finding documents ------------------------------------------------------------------------------------------------
const finder = document.getElementById("find-files");
if (finder) {
  let waiting = 0, asked = 0;
  finder.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(async () => {
      const own = ++asked;
      const address = `${finder.form.action}?${new URLSearchParams(new FormData(finder.form))}`;
      const reply = await fetch(address);
      const found = new DOMParser().parseFromString(await reply.text(), "text/html").getElementById("files");
      if (own !== asked || !found) return;
      document.getElementById("files").replaceWith(found);
      history.replaceState(null, "", address);
    }, 120);
  });
}

// --- a matrix ---------------------------------------------------------------------------------------------------------
const rows = document.getElementById("rows");
if (rows) {
  const quoted = document.getElementById("quoted");
  const show = (event) => {  // in a line of its own, because the box that scrolls would cut what hangs over
    const cell = event.target.closest("a.cell");
    if (!cell) return;
    quoted.hidden = false;
    quoted.replaceChildren(`“${cell.dataset.quote}” `, Object.assign(document.createElement("small"), { textContent: cell.dataset.from }));
  };
  rows.addEventListener("pointerover", show);
  rows.addEventListener("focusin", show);

  const filling = document.querySelector("[data-rows]");
  if (filling) {
    const stream = new EventSource(filling.dataset.rows);
    const place = (event) => {
      const pieces = document.createElement("template");
      pieces.innerHTML = event.data;  // made by the server from templates in which every text is escaped
      const now = pieces.content.querySelector("[data-place=now]");
      if (now) document.getElementById("now").replaceChildren(...now.childNodes);
      for (const row of pieces.content.querySelectorAll("tr")) {
        const earlier = [...rows.children].find((other) => other.dataset.document === row.dataset.document);
        if (earlier) earlier.replaceWith(row);
        else rows.append(row);
      }
      if (event.type === "ended") {
        stream.close();
        location.replace(filling.dataset.done);
      }
    };
    for (const kind of ["fileread", "embedded", "notice", "progressed", "started", "filled", "ended"]) stream.addEventListener(kind, place);
  }
}
