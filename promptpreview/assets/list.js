// The list of prompts and its search: a tree of folders, or the prompts that a search
// finds. Only the rows that can be seen are in the document, so that 10,000 prompts are as
// fast as ten.

import { append, h, plural } from "./dom.js";

const rowHeight = 54; // as in style.css
const folderHeight = 30;
const overscan = 6; // rows

export class PromptList {
  #all = []; // the prompts, each with its text for the search
  #paths = new Map(); // the file of a prompt, by its name
  #rows = []; // that can be scrolled to: prompts, and folders
  #tops = []; // where each row begins, and where the last one ends
  #closed = new Set(); // folders
  #active = -1;
  #marks = new Map(); // of prompts, each with a class and a text
  #failing = new Map(); // how many prompts of a folder have errors or failing cases
  #selected;
  #places = {}; // of the words of the search in the texts of prompts, by their names
  #asking;

  // onSearch, if not null, returns the places of words in texts.
  constructor({ input, list, scroller, count, onChoose, onSearch }) {
    Object.assign(this, { input, list, scroller, count, onChoose, onSearch });
    input.addEventListener("input", () => {
      this.#places = {};
      this.#search(true);
      this.#searchTexts();
    });
    input.addEventListener("keydown", (e) => this.#key(e));
    list.addEventListener("keydown", (e) => this.#key(e));
    list.addEventListener("focus", () => { if (this.#active < 0) this.#activate(0); }); // which shows the focus
    scroller.addEventListener("scroll", () => this.#draw(), { passive: true });
    new ResizeObserver(() => this.#draw()).observe(scroller);
    list.addEventListener("click", (e) => {
      const element = e.target.closest("[role=treeitem]");
      if (element) this.#take(this.#rows[Number(element.dataset.index)], false);
    });
  }

  // set replaces the prompts. Before isComplete, more are on their way.
  set(prompts, isComplete) {
    this.#all = prompts;
    this.isComplete = isComplete;
    this.#search(false);
  }

  // place sets the files of prompts, by their names: the tree is that of the files.
  place(paths) {
    this.#paths = new Map(Object.entries(paths));
    this.#search(false);
  }

  // first returns the name of the first prompt of the tree.
  first() {
    return this.#rows.find((r) => r.prompt)?.prompt.name;
  }

  // mark sets what is shown beside a prompt: a text and its class, "new", "changed" or "error".
  mark(marks) {
    this.#marks = marks;
    this.#failing = new Map();
    for (const p of this.#all) {
      if (marks.get(p.name)?.kind !== "error") continue;
      const parts = this.#folderOf(p).split("/");
      for (let i = 1; i <= parts.length; i++) {
        const folder = parts.slice(0, i).join("/");
        this.#failing.set(folder, (this.#failing.get(folder) || 0) + 1);
      }
    }
    this.#draw();
  }

  select(name) {
    this.#selected = name;
    const folder = this.#folderOf(this.#all.find((p) => p.name === name));
    const hidden = [...this.#closed].filter((f) => folder === f || folder.startsWith(f + "/"));
    for (const f of hidden) this.#closed.delete(f);
    if (hidden.length > 0) this.#search(false);
    const i = this.#indexOf(name);
    if (i >= 0) this.#activate(i);
    this.#draw();
  }

  #indexOf(name) {
    return this.#rows.findIndex((r) => r.prompt !== undefined && r.prompt.name === name);
  }

  // folderOf returns the folder of a prompt: that of its file, of a skill the one around
  // its own, or what its name has before the last slash.
  #folderOf(prompt) {
    if (!prompt) return "";
    const path = (this.#paths.get(prompt.name) ?? prompt.name).replace(/\/SKILL\.[^/]*$/i, "");
    return path.slice(0, Math.max(0, path.lastIndexOf("/")));
  }

  // shortName returns the name without the folder that the tree shows above it.
  #shortName({ name }) {
    const at = name.lastIndexOf("/");
    return this.input.value === "" && at >= 0 && `/${this.#folderOf({ name })}`.endsWith(`/${name.slice(0, at)}`) ? name.slice(at + 1) : name;
  }

  // shortPlace returns what a row has room for of the place of a word in the texts of a prompt:
  // of its own file the line alone, and the text from shortly before the word.
  #shortPlace({ name }, place) {
    const [, file, line, text] = /^(.*?):(\d+): (.*)$/s.exec(place);
    const at = fold(text).indexOf(fold(this.input.value).trim().split(/\s+/)[0]) - 10;
    return `${file === this.#paths.get(name) ? "line " : `${file}:`}${line}: ${at > 10 ? `…${text.slice(at)}` : text}`;
  }

  #isSkill(prompt) {
    return /(^|\/)SKILL\.[^/]*$/i.test(this.#paths.get(prompt.name) ?? "");
  }

  // searchTexts adds the prompts whose texts have the words.
  #searchTexts() {
    const words = this.input.value;
    clearTimeout(this.#asking);
    if (words.trim() === "" || !this.onSearch) return;
    this.#asking = setTimeout(async () => {
      const places = await this.onSearch(words).catch(() => ({})); // status says that the server does not answer
      if (this.input.value !== words) return;
      this.#places = places;
      this.#search(false);
    }, 100);
  }

  #search(isTyped) {
    const words = fold(this.input.value).split(/\s+/).filter(Boolean);
    const active = this.#rows[this.#active];
    let found = this.#all;
    if (words.length === 0) this.#rows = this.#tree();
    else {
      const ranks = [[], [], [], []];
      for (const p of this.#all) {
        const at = p.head.indexOf(words[0]);
        if (words.every((w) => p.search.includes(w))) ranks[at === 0 ? 0 : at > 0 ? 1 : 2].push(p);
        else if (Object.hasOwn(this.#places, p.name)) ranks[3].push(p);
      }
      found = ranks.flat();
      const isInText = new Set(ranks[3]);
      this.#rows = found.map((prompt, i) => ({ prompt, place: isInText.has(prompt) && this.#places[prompt.name], level: 1, size: found.length, position: i + 1 }));
    }
    this.#tops = [0];
    for (const [i, r] of this.#rows.entries()) this.#tops.push(this.#tops[i] + (r.prompt ? rowHeight : folderHeight));
    const total = this.#all.length;
    this.count.textContent = (words.length === 0 ? plural(total, "prompt") : `${found.length.toLocaleString("en")} of ${plural(total, "prompt")}`) + (this.isComplete ? "" : " …");
    if (isTyped || (words.length > 0 && !active)) this.#active = this.#rows.findIndex((r) => r.prompt);
    else if (active?.folder !== undefined) this.#active = this.#rows.findIndex((r) => r.folder === active.folder);
    else this.#active = this.#indexOf(active?.prompt?.name ?? this.#selected);
    if (isTyped) this.scroller.scrollTop = 0;
    this.#draw();
  }

  // tree returns the rows of the open folders: in each, the folders before the prompts.
  #tree() {
    const root = { folders: new Map(), prompts: [], count: 0 };
    for (const p of this.#all) {
      let at = root;
      at.count++;
      const folder = this.#folderOf(p);
      for (const part of folder === "" ? [] : folder.split("/")) {
        if (!at.folders.has(part)) at.folders.set(part, { folders: new Map(), prompts: [], count: 0 });
        at = at.folders.get(part);
        at.count++;
      }
      at.prompts.push(p);
    }
    const rows = [];
    const add = (at, path, level) => {
      const size = at.folders.size + at.prompts.length;
      let position = 0;
      for (const [part, inside] of at.folders) {
        const folder = path + part;
        rows.push({ folder, label: part, count: inside.count, level, size, position: ++position });
        if (!this.#closed.has(folder)) add(inside, folder + "/", level + 1);
      }
      for (const prompt of at.prompts) rows.push({ prompt, level, size, position: ++position });
    };
    add(root, "", 1);
    return rows;
  }

  // take opens a prompt, or opens or closes a folder.
  #take(row, byKey) {
    if (row.prompt) this.onChoose(row.prompt.name, byKey);
    else this.#toggle(row.folder);
  }

  #toggle(folder) {
    if (!this.#closed.delete(folder)) this.#closed.add(folder);
    this.#active = this.#rows.findIndex((r) => r.folder === folder);
    this.#search(false);
  }

  #key(e) {
    const page = Math.max(1, Math.floor(this.scroller.clientHeight / rowHeight) - 1);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page };
    const row = this.#rows[this.#active];
    const isOpen = row?.folder !== undefined && !this.#closed.has(row.folder);
    if (e.key in steps) {
      e.preventDefault();
      this.#activate(Math.max(0, Math.min(this.#rows.length - 1, this.#active + steps[e.key])));
    } else if (e.key === "Enter" && row) {
      e.preventDefault();
      this.#take(row, true);
    } else if (row?.folder !== undefined && (this.input.value === "" || e.target !== this.input) && e.key === (isOpen ? "ArrowLeft" : "ArrowRight")) {
      e.preventDefault();
      this.#toggle(row.folder);
    } else if (e.key === "Escape" && this.input.value !== "") {
      e.preventDefault();
      this.input.value = "";
      this.#search(true);
    }
  }

  #activate(i) {
    if (this.#rows.length === 0) return;
    this.#active = i;
    const [top, bottom] = [this.#tops[i], this.#tops[i + 1]];
    if (top < this.scroller.scrollTop) this.scroller.scrollTop = top;
    else if (bottom > this.scroller.scrollTop + this.scroller.clientHeight) this.scroller.scrollTop = bottom - this.scroller.clientHeight;
    this.#draw();
  }

  // at returns the index of the row at a height.
  #at(y) {
    let [low, high] = [0, this.#rows.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#tops[middle + 1] <= y) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #draw() {
    const { scrollTop, clientHeight } = this.scroller;
    const from = Math.max(0, this.#at(scrollTop) - overscan);
    const to = Math.min(this.#rows.length, this.#at(scrollTop + clientHeight) + 1 + overscan);
    this.list.style.height = `${this.#tops[this.#rows.length] ?? 0}px`;
    const rows = [];
    for (let i = from; i < to; i++) rows.push(this.#row(i));
    this.list.replaceChildren(...rows);
    for (const element of [this.input, this.list]) {
      if (this.#active >= from && this.#active < to) element.setAttribute("aria-activedescendant", `row-${this.#active}`);
      else element.removeAttribute("aria-activedescendant");
    }
    this.scroller.classList.toggle("is-empty", this.#rows.length === 0 && this.isComplete === true);
    this.scroller.dataset.empty = this.#all.length === 0 ? "No prompts yet" : "No prompt matches";
  }

  #row(i) {
    const { prompt: p, folder, label, count, level, size, position, place } = this.#rows[i];
    const isOpen = !this.#closed.has(folder);
    const kind = p ? "row" : "folder";
    const row = h("div", {
      role: "treeitem", id: `row-${i}`, "data-index": String(i), "aria-level": String(level), "aria-setsize": String(size), "aria-posinset": String(position),
      "aria-selected": String(p !== undefined && p.name === this.#selected), "aria-expanded": p ? null : String(isOpen),
      class: i === this.#active ? `${kind} active` : kind, title: p ? place || p.name : folder,
    });
    if (p) {
      const mark = this.#marks.get(p.name);
      const name = clip(this.#shortName(p), 120);
      append(row, [h("span", { class: "row-title" }, h("span", { class: "row-name" }, p.title ? clip(p.title, 120) : name), place && p.title && h("code", {}, name), this.#isSkill(p) && h("span", { class: "badge" }, "skill"), mark && h("span", { class: `badge ${mark.kind}` }, mark.text)),
        h("span", { class: "row-detail" }, place ? h("code", {}, this.#shortPlace(p, place)) : [p.title && [h("code", {}, name), " "], clip(p.description || "", 160)])]);
    } else {
      const failing = !isOpen && this.#failing.get(folder);
      append(row, [h("span", { class: "arrow", "aria-hidden": "true" }, isOpen ? "▾" : "▸"), h("span", { class: "folder-name" }, clip(label, 120)), failing && h("span", { class: "badge error" }, `${failing} to fix`), h("span", { class: "detail" }, plural(count, "prompt"))]);
    }
    row.style.transform = `translateY(${this.#tops[i]}px)`;
    row.style.setProperty("--level", String(Math.min(level - 1, 8)));
    return row;
  }
}

const clip = (text, n) => (text.length > n ? text.slice(0, n) + "…" : text);

const fold = (text) => text.toLowerCase();

// searchable returns the prompt with its text for the search.
export function searchable(prompt) {
  const head = fold(`${prompt.name}\n${prompt.title || ""}`);
  const names = (prompt.arguments || []).map((a) => a.name).join("\n");
  return { ...prompt, entry: prompt, head, search: `${head}\n${fold((prompt.description || "").slice(0, 2000))}\n${fold(names)}` };
}
