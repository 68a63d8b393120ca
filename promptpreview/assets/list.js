// The list of prompts and its search. Only the rows that can be seen are in the
// document, so that 10,000 prompts are as fast as ten.

import { h, plural } from "./dom.js";

const rowHeight = 54; // as in style.css
const overscan = 6;

export class PromptList {
  #all = []; // the prompts, each with its text for the search
  #shown = [];
  #active = -1;
  #marks = new Map(); // of prompts that are new, changed or in error
  #selected;

  constructor({ input, list, scroller, count, onChoose }) {
    Object.assign(this, { input, list, scroller, count, onChoose });
    input.addEventListener("input", () => this.#search(true));
    input.addEventListener("keydown", (e) => this.#key(e));
    scroller.addEventListener("scroll", () => this.#draw(), { passive: true });
    new ResizeObserver(() => this.#draw()).observe(scroller);
    list.addEventListener("click", (e) => {
      const row = e.target.closest("[role=option]");
      if (row) this.onChoose(this.#shown[Number(row.dataset.index)].name);
    });
  }

  // set replaces the prompts. Before isComplete, more are on their way.
  set(prompts, isComplete) {
    this.#all = prompts;
    this.isComplete = isComplete;
    this.#search(false);
  }

  // mark sets what is shown beside a prompt: "new", "changed" or "error".
  mark(marks) {
    this.#marks = marks;
    this.#draw();
  }

  select(name) {
    this.#selected = name;
    const i = this.#shown.findIndex((p) => p.name === name);
    if (i >= 0) this.#activate(i);
    this.#draw();
  }

  #search(isTyped) {
    const words = fold(this.input.value).split(/\s+/).filter(Boolean);
    const active = this.#shown[this.#active]?.name;
    if (words.length === 0) this.#shown = this.#all;
    else {
      const ranks = [[], [], []];
      for (const p of this.#all) {
        if (!words.every((w) => p.search.includes(w))) continue;
        const at = p.head.indexOf(words[0]);
        ranks[at === 0 ? 0 : at > 0 ? 1 : 2].push(p);
      }
      this.#shown = ranks.flat();
    }
    const total = this.#all.length;
    this.count.textContent = (words.length === 0 ? plural(total, "prompt") : `${this.#shown.length.toLocaleString("en")} of ${plural(total, "prompt")}`) + (this.isComplete ? "" : " …");
    const wanted = isTyped ? null : active ?? this.#selected;
    this.#active = wanted == null ? -1 : this.#shown.findIndex((p) => p.name === wanted);
    if (this.#active < 0 && isTyped && this.#shown.length > 0) this.#active = 0;
    if (isTyped) this.scroller.scrollTop = 0;
    this.#draw();
  }

  #key(e) {
    const page = Math.max(1, Math.floor(this.scroller.clientHeight / rowHeight) - 1);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page };
    if (e.key in steps) {
      e.preventDefault();
      this.#activate(Math.max(0, Math.min(this.#shown.length - 1, this.#active + steps[e.key])));
    } else if (e.key === "Enter" && this.#shown[this.#active]) {
      e.preventDefault();
      this.onChoose(this.#shown[this.#active].name, true);
    } else if (e.key === "Escape" && this.input.value !== "") {
      e.preventDefault();
      this.input.value = "";
      this.#search(true);
    }
  }

  #activate(i) {
    if (this.#shown.length === 0) return;
    this.#active = i;
    const top = i * rowHeight;
    if (top < this.scroller.scrollTop) this.scroller.scrollTop = top;
    else if (top + rowHeight > this.scroller.scrollTop + this.scroller.clientHeight) {
      this.scroller.scrollTop = top + rowHeight - this.scroller.clientHeight;
    }
    this.#draw();
  }

  #draw() {
    const { scrollTop, clientHeight } = this.scroller;
    const from = Math.max(0, Math.floor(scrollTop / rowHeight) - overscan);
    const to = Math.min(this.#shown.length, Math.ceil((scrollTop + clientHeight) / rowHeight) + overscan);
    this.list.style.height = `${this.#shown.length * rowHeight}px`;
    const rows = [];
    for (let i = from; i < to; i++) rows.push(this.#row(i));
    this.list.replaceChildren(...rows);
    if (this.#active >= from && this.#active < to) this.input.setAttribute("aria-activedescendant", `row-${this.#active}`);
    else this.input.removeAttribute("aria-activedescendant");
    this.scroller.classList.toggle("is-empty", this.#shown.length === 0 && this.isComplete === true);
    this.scroller.dataset.empty = this.#all.length === 0 ? "No prompts yet" : "No prompt matches";
  }

  #row(i) {
    const p = this.#shown[i];
    const mark = this.#marks.get(p.name);
    const isSelected = p.name === this.#selected;
    const row = h("div", {
      role: "option", id: `row-${i}`, "data-index": String(i), "aria-selected": String(isSelected),
      "aria-setsize": String(this.#shown.length), "aria-posinset": String(i + 1),
      class: i === this.#active ? "row active" : "row",
    },
    h("span", { class: "row-title" }, clip(p.title || p.name, 120), mark && h("span", { class: `badge ${mark}` }, mark)),
    h("span", { class: "row-detail" }, p.title ? h("code", {}, clip(p.name, 120)) : null, p.title && p.description ? " " : null, clip(p.description || "", 160)));
    row.style.transform = `translateY(${i * rowHeight}px)`;
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

