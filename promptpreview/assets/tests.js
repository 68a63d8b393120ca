// The cases of all test files: which of them fail, and why.

import { announce, append, editorURL, h, plural, replace } from "./dom.js";
import { ask, linkTo } from "./author.js";

const maxRows = 1_000;

// inWords says how many of the cases fail.
export const inWords = (failed, all) => (failed === 0 ? `${plural(all, "case")} ${all === 1 ? "passes" : "pass"}` : `${failed.toLocaleString("en")} of ${plural(all, "case")} ${failed === 1 ? "fails" : "fail"}`);

const isFailing = (c) => c.failures.length > 0;

// failureElement returns what is not as a case expects, with what was found instead.
function failureElement(root, f) {
  const lines = (f.diff ?? "").replace(/\n$/, "").split(/(?<=\n)/);
  const isDiff = lines[0].startsWith("--- ");
  const tags = { "-": "del", "+": "ins" };
  return h("div", { class: "failed" },
    h("p", {}, h("strong", {}, f.message), " ", h("a", { href: editorURL(root, f.path, f.line) }, h("code", {}, f.line ? `${f.path}:${f.line}` : f.path))),
    f.hint && h("p", { class: "detail" }, f.hint),
    f.diff && [h("p", { class: "detail" }, isDiff ? ["Expected ", h("del", {}, "- in the golden file"), ", got ", h("ins", {}, "+ now"), ":"] : "Got:"),
      h("pre", { class: "plain-text diff", tabindex: "0" }, isDiff ? lines.slice(2).map((line) => (tags[line[0]] ? h(tags[line[0]], {}, line) : line)) : f.diff.replace(/^ {2}/gm, ""))]);
}

export class Tests {
  #folders = null; // their results; null before the first run
  #running = null;
  #error = "";
  #view = null; // the elements of the table, if it is shown

  // onResults is called after each run, and onCase to show a case.
  constructor({ onResults, onCase }) {
    Object.assign(this, { onResults, onCase });
  }

  // run runs all cases. A later run takes the place of one that has not ended.
  async run() {
    this.#running?.abort();
    const running = this.#running = new AbortController();
    this.#error = "";
    try {
      this.#folders = await ask("tests", {}, running.signal);
    } catch (error) {
      if (running.signal.aborted) return;
      this.#error = error.message;
    }
    this.#running = null;
    if (this.#view?.results.isConnected) this.#draw();
    this.onResults();
  }

  get all() {
    return (this.#folders ?? []).flatMap(({ root, cases }) => cases.map((c) => ({ root, ...c })));
  }

  // of returns the cases of a prompt.
  of(prompt) {
    return this.all.filter((c) => c.prompt === prompt);
  }

  // failing returns how many cases of each prompt fail, without those of which none does.
  get failing() {
    const failing = new Map();
    for (const { prompt } of this.all.filter(isFailing)) failing.set(prompt, (failing.get(prompt) || 0) + 1);
    return failing;
  }

  get #errors() {
    return (this.#folders ?? []).flatMap(({ root, errors }) => errors.map((e) => ({ root, ...e })));
  }

  // summary returns the state of all cases, "pass", "fail" or "none", and says it.
  summary() {
    const { all } = this;
    const failed = all.filter(isFailing).length;
    const errors = this.#errors.length > 0 && plural(this.#errors.length, "error") + " in files";
    if (this.#error) return ["fail", `Tests did not run: ${this.#error}`];
    if (this.#folders === null) return ["none", "Tests run …"];
    if (all.length === 0 && !errors) return ["none", "No tests yet"];
    return [failed > 0 || errors ? "fail" : "pass", [(all.length > 0 || !errors) && inWords(failed, all.length), errors].filter(Boolean).join(", ")];
  }

  // element returns the table of all cases.
  element() {
    const run = h("button", { type: "button", class: "primary", onclick: async () => {
      replace(summary, "Tests run …");
      await this.run();
      announce(this.summary()[1]);
    } }, "Run all");
    const summary = h("p", { class: "description" });
    const results = h("div", {});
    this.#view = { summary, results };
    this.#draw();
    return h("div", { class: "tests" }, h("header", { class: "prompt-header" }, h("div", { class: "prompt-title" }, h("h2", { tabindex: "-1" }, "Tests")), summary, h("div", { class: "prompt-actions" }, run)), results);
  }

  #draw() {
    const [state, words] = this.summary();
    replace(this.#view.summary, h("span", { class: `tests-state ${state}` }, words));
    const { results, drawn } = this.#view;
    this.#view.drawn = JSON.stringify(this.#folders);
    if (this.#view.drawn === drawn) return; // what has the focus stays
    const focusable = () => [...results.querySelectorAll("a, button, pre")];
    const at = focusable().indexOf(document.activeElement);
    replace(results,
      this.#errors.length > 0 && h("div", { class: "notice error" }, h("ul", {}, this.#errors.map((e) => h("li", {}, h("a", { href: editorURL(e.root, e.path, e.line) }, h("code", {}, e.line ? `${e.path}:${e.line}` : e.path)), ` ${e.message}`, e.hint && `; ${e.hint}`)))),
      this.all.length > 0 ? this.#table() : state === "none" && this.#folders && h("p", { class: "empty" }, "Save the values of a prompt as a case, or write a file NAME.test.yaml beside the file of a prompt."));
    focusable()[at]?.focus();
  }

  #table() {
    const groups = Map.groupBy(this.all, (c) => c.prompt);
    const failing = this.failing;
    const inOrder = [...groups].sort(([a], [b]) => failing.has(b) - failing.has(a) || (a < b ? -1 : 1));
    const table = h("table", { class: "cases-table" }, h("caption", { class: "hidden" }, "Cases by prompt"), h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Case"), h("th", { scope: "col" }, "Result"))));
    let rows = 0;
    for (const [prompt, cases] of inOrder) {
      if (rows === maxRows) break;
      const shown = cases.toSorted((a, b) => isFailing(b) - isFailing(a)).slice(0, maxRows - rows);
      rows += shown.length;
      append(table, [h("tbody", {}, h("tr", {}, h("th", { scope: "rowgroup", colspan: "2" }, h("a", { href: linkTo(prompt) }, prompt), " ", h("span", { class: "detail" }, inWords(failing.get(prompt) || 0, cases.length)))),
        shown.map((c) => h("tr", {},
          h("th", { scope: "row" }, h("button", { type: "button", class: "link", onclick: () => this.onCase(c) }, c.name)),
          h("td", {}, isFailing(c) ? [h("span", { class: "verdict none" }, "✗ fails"), c.failures.map((f) => failureElement(c.root, f))] : [h("span", { class: "verdict all" }, "✓ passes"), c.notAsked && h("span", { class: "detail" }, " The answer of a model was not checked.")]))))]);
    }
    return [table, rows < this.all.length && h("p", { class: "detail" }, `The table has the first ${rows.toLocaleString("en")} of ${plural(this.all.length, "case")}.`)];
  }
}
