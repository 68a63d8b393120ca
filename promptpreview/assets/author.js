// What the author of a prompt does with its files: values to begin with, cases, the
// template with what is wrong in it, and what has changed.

import { announce, append, h, newID, plural, replace } from "./dom.js";
import { placeElement, sizes, traced } from "./beside.js";
import { hiding, loadTokens } from "./result.js";

// The token of this start of the program. Without it the page shows no files.
const token = new URLSearchParams(location.search).get("token");
export const isAuthor = token !== null && token !== "";

// ask asks about the files of a prompt.
export async function ask(path, body, signal) {
  const response = await fetch(`author/${path}`, {
    method: "POST", headers: { "Content-Type": "application/json", "X-Prompts-Token": token }, body: JSON.stringify(body), cache: "no-store", signal,
  });
  if (!response.ok) throw new Error((await response.text()).trim() || `status ${response.status}`);
  return response.json();
}

// shareable returns the address of the page without the token, which is for the author
// alone.
export function shareable() {
  const url = new URL(location.href);
  url.searchParams.delete("token");
  return url.href;
}

const maxLines = 5_000;

// place returns the URL that opens a line in the author's editor.
const place = (url, line) => url.replaceAll("{line}", String(line)).replaceAll("{column}", "1");

// AuthorTools are what the page has of the files of one prompt.
export class AuthorTools {
  info = null;
  findings = [];
  before = null; // the template and the messages before the last save
  #asking = null;
  #comparedWith = "save";
  #revision = "HEAD";

  #lightArgument = null; // in the view of the template
  #view = 0; // of the template, drawn last
  #release = "";

  constructor(name, { onValues, values, sensitive, form }) {
    this.name = name;
    for (const event of ["mouseover", "focusin"]) {
      form.addEventListener(event, (e) => {
        const field = e.target.closest(".arguments > [data-field]")?.dataset.field;
        if (field !== undefined) this.#lightArgument?.(field);
      });
    }
    this.values = values;
    this.sensitive = sensitive;
    this.onValues = onValues;
    this.bar = h("div", { class: "cases", role: "group", "aria-label": "Values and cases" });
  }

  // load reads the files; messages are those that were shown before. It reports whether
  // the template has changed.
  async load(messages) {
    const next = await ask("prompt", { prompt: this.name });
    const same = (key) => this.info !== null && JSON.stringify(this.info[key]) === JSON.stringify(next[key]);
    // A partial changes what cases render, and a new case changes nothing.
    const isChanged = this.info !== null && (!same("text") || next.cases.some((c) => this.info.cases.some((old) => old.name === c.name && old.text !== c.text)));
    if (isChanged) this.before = { text: this.info.text, messages, cases: this.info.cases };
    const isSame = ["cases", "origin", "values", "file"].every(same);
    this.info = next;
    if (!isSame) this.#drawBar(); // else it would lose what is being chosen and typed
    return isChanged;
  }

  // problems is how many findings are no mere notes about clients.
  get problems() {
    return this.findings.filter((f) => f.level !== "note").length;
  }

  async loadFindings() {
    this.findings = await ask("findings", { prompt: this.name });
  }

  #drawBar() {
    const { info } = this;
    const id = newID("case");
    const label = { examples: "Examples of the file", generated: "Generated values" }[info.origin];
    const menu = h("select", { id, onchange: () => {
      const chosen = info.cases[Number(menu.value)];
      if (menu.value === "start") this.onValues(info.values);
      else if (chosen) this.onValues(chosen.arguments);
    } },
    h("option", { value: "" }, "Choose values …"), label && info.values && h("option", { value: "start" }, label),
    info.cases.map((c, i) => {
      const option = h("option", {}, c.name);
      option.value = String(i);
      return option;
    }));
    const name = h("input", { type: "text", id: newID("name"), placeholder: "what the case shows", maxlength: "200", autocomplete: "off" });
    const said = h("p", { class: "detail", role: "status" });
    const save = async () => {
      if (name.value.trim() === "") {
        replace(said, "Give the case a name.");
        name.focus();
        return;
      }
      try {
        const { file } = await ask("do/case", { prompt: this.name, name: name.value.trim(), arguments: this.values() });
        const saved = name.value.trim();
        await this.load();
        announce(`Saved the case ${saved} in ${file}.`);
        replace(this.bar.querySelector(".detail"), `Saved “${saved}” in `, h("code", {}, file), ".");
      } catch (error) {
        replace(said, `Not saved: ${error.message}`);
      }
    };
    const form = h("div", { class: "new-case", hidden: true }, h("label", { for: name.id }, "Name of the case"), name,
      h("button", { type: "button", class: "primary", onclick: save }, "Save"));
    name.addEventListener("keydown", (e) => {
      if (e.key === "Enter" && !e.ctrlKey && !e.metaKey) {
        e.preventDefault();
        save();
      }
    });
    const open = h("button", { type: "button", "aria-expanded": "false", onclick: () => {
      form.hidden = !form.hidden;
      open.setAttribute("aria-expanded", String(!form.hidden));
      if (!form.hidden) name.focus();
    } }, "Save as a case");
    const known = this.bar.contains(document.activeElement);
    const chosen = this.bar.querySelector("select")?.selectedOptions[0].textContent;
    replace(this.bar, h("label", { for: id }, "Values"), h("div", { class: "cases-line" }, menu, info.file && open), form, said);
    menu.selectedIndex = Math.max(0, [...menu.options].findIndex((o) => o.textContent === chosen));
    if (known) menu.focus();
  }

  // showStart shows which values are in the form.
  showStart() {
    const menu = this.bar.querySelector("select");
    menu.value = this.info.origin === "case" ? String(this.info.cases.findIndex((c) => JSON.stringify(c.arguments) === JSON.stringify(this.info.values))) : "start";
  }

  // template returns the file with its findings, each at its line.
  template() {
    const { info } = this;
    if (!info?.file) return h("p", { class: "detail" }, "The prompt has no file.");
    const element = h("div", { class: "template" });
    const own = this.findings.filter((f) => f.path === info.file);
    const others = this.findings.filter((f) => f.path !== info.file || !f.line);
    element.append(h("p", { class: "detail" }, h("a", { href: place(info.url, 1) }, h("code", {}, info.file)), ` · ${this.findings.length === 0 ? "check and test find nothing" : `${plural(this.findings.length, "finding")} of check and test`}`));
    const list = (all) => all.length > 0 && h("ul", { class: "findings" }, all.map((f) => h("li", { class: f.level }, finding(f, true))));
    const notes = others.filter((f) => f.level === "note");
    append(element, [list(others.filter((f) => f.level !== "note")), notes.length > 0 && h("details", { class: "notes" }, h("summary", {}, plural(notes.length, "note")), list(notes))]);
    const lines = info.text.replace(/\n$/, "").split("\n");
    const source = h("ol", { class: "source", "aria-label": "Template", tabindex: "0" }, lines.slice(0, maxLines).map((line, i) => {
      const here = own.filter((f) => f.line === i + 1);
      return h("li", { class: here.length > 0 ? "has-finding" : null },
        h("a", { href: place(info.url, i + 1), class: "line-number", "aria-label": `Line ${i + 1}: open in the editor` }, String(i + 1)),
        h("code", {}, line === "" ? "\u00a0" : line), here.map((f) => h("p", { class: `finding ${f.level}` }, finding(f, false))));
    }));
    const result = h("div", { class: "traced-side" }, h("p", { class: "detail" }, "Rendering …"));
    const from = h("p", { class: "detail from", role: "status" });
    element.append(from, h("div", { class: "beside" }, h("div", {}, source, lines.length > maxLines && h("p", { class: "detail" }, `${maxLines.toLocaleString("en")} of ${plural(lines.length, "line")}.`)), result));
    this.#trace(result, from, source);
    const end = lines[0] === "---" ? lines.indexOf("---", 1) : -1; // of the front matter
    if (end > 0) requestAnimationFrame(() => { source.scrollTop = source.children[Math.min(end + 1, source.children.length - 1)].offsetTop - source.offsetTop; });
    return element;
  }

  // trace shows the result of the values in the form beside the template.
  async #trace(result, from, source) {
    const view = ++this.#view;
    this.#lightArgument = null;
    try {
      const messages = await ask("trace", { prompt: this.name, arguments: this.values() });
      if (view !== this.#view) return;
      const t = traced(messages, { file: this.info.file, source, onPlace: (p) => replace(from, placeElement(p)) });
      this.#lightArgument = t.lightArgument;
      replace(from, placeElement());
      const table = h("div", {}, sizes(messages));
      replace(result, t.element, table);
      const { countTokens } = await loadTokens();
      if (view === this.#view) replace(table, sizes(messages, countTokens));
    } catch (error) {
      if (view === this.#view && this.#lightArgument === null) replace(result, h("p", { class: "detail" }, `Not rendered: ${error.message}`));
    }
  }

  // changes returns what has changed since the last save or a commit. messages are those
  // of now.
  changes(messages) {
    const result = h("div", {});
    const revision = h("input", { type: "text", id: newID("revision"), value: this.#revision, spellcheck: "false", autocomplete: "off", class: "mono" });
    const menu = h("select", { id: newID("with") }, h("option", { value: "save" }, "the last save"), h("option", { value: "commit" }, "a commit"), h("option", { value: "release" }, "a release"));
    menu.value = this.#comparedWith;
    const revisionPart = h("div", { class: "revision" }, h("label", { for: revision.id }, "Revision"), revision);
    const release = h("input", { type: "text", id: newID("release"), value: this.#release, placeholder: "oci://HOST/REPOSITORY:LABEL", spellcheck: "false", autocomplete: "off", class: "mono" });
    const releasePart = h("div", { class: "revision" }, h("label", { for: release.id }, "Release"), release);
    const show = async () => {
      this.#comparedWith = menu.value;
      this.#revision = revision.value;
      this.#release = release.value;
      revisionPart.hidden = menu.value !== "commit";
      releasePart.hidden = menu.value !== "release";
      if (menu.value === "release" && release.value.trim() === "") {
        replace(result, h("p", { class: "detail" }, "Write the reference of a release, such as oci-layout:FOLDER:LABEL or oci://HOST/REPOSITORY:LABEL."));
        return;
      }
      if (menu.value === "save" && !this.before) {
        replace(result, h("p", { class: "detail" }, "The file has not changed since the page was opened."));
        return;
      }
      replace(result, h("p", { class: "detail" }, "Comparing …"));
      try {
        const diffs = await ({
          save: () => ask("changes", { prompt: this.name, texts: this.#sinceSave(messages) }),
          commit: () => ask("changes", { prompt: this.name, with: revision.value.trim() }),
          release: () => ask("do/release", { prompt: this.name, with: release.value.trim() }),
        })[menu.value]();
        replace(result, diffs.length === 0 ? h("p", { class: "detail" }, "Nothing has changed.") : diffs.map(diffElement));
      } catch (error) {
        replace(result, h("p", { class: "detail" }, error.message));
      }
    };
    menu.addEventListener("change", show);
    revision.addEventListener("change", show);
    release.addEventListener("change", show);
    show();
    return [h("div", { class: "compare" }, h("label", { for: menu.id }, "Changes since"), menu, revisionPart, releasePart), result];
  }

  // answer lets the author's command answer the prompt with the values of the form. It
  // runs until its end, or until the author stops it.
  answer(show) {
    const result = h("div", { class: "answer", "aria-live": "polite" });
    const stop = h("button", { type: "button", disabled: true, onclick: () => this.#asking?.abort() }, "Stop");
    const start = h("button", { type: "button", class: "primary", onclick: async () => {
      const asking = this.#asking = new AbortController();
      start.disabled = true;
      stop.disabled = false;
      stop.focus();
      replace(result, h("p", { class: "detail" }, "The command runs …"));
      try {
        const { answer } = await ask("do/answer", { prompt: this.name, arguments: this.values() }, asking.signal);
        replace(result, show(hiding(this.secrets)(answer)));
      } catch (error) {
        replace(result, h("p", { class: "detail" }, error.name === "AbortError" ? "Stopped." : error.message));
      }
      start.disabled = false;
      stop.disabled = true;
      start.focus();
    } }, "Ask the model");
    return [h("div", { class: "compare" }, start, stop), result];
  }

  // secrets are the values of sensitive arguments in the form.
  get secrets() {
    return this.sensitive().map((name) => this.values()[name]).filter(Boolean);
  }

  // leave ends what runs.
  leave() {
    this.#asking?.abort();
  }

  #sinceSave(messages) {
    const texts = [{ name: this.info.file, kind: "template", old: this.before.text, new: this.info.text }];
    if (this.before.messages && messages) {
      const hide = hiding(this.secrets);
      const textOf = (all) => hide(all.map((m) => `${m.role}:\n${m.content.type === "text" ? m.content.text : m.content.type}`).join("\n\n"));
      texts.push({ name: "the values of the form", kind: "case", old: textOf(this.before.messages), new: textOf(messages) });
    }
    for (const c of this.info.cases) {
      const old = this.before.cases.find((o) => o.name === c.name);
      if (old) texts.push({ name: `case ${c.name}`, kind: "case", old: old.text, new: c.text });
    }
    return texts;
  }
}

// finding returns what is wrong, as a link to its place.
function finding(f, withPlace) {
  const text = f.hint ? `${f.message}; ${f.hint}` : f.message;
  return h("a", { href: f.url }, withPlace && h("code", {}, f.path + (f.line ? `:${f.line}` : "")), withPlace && " ", h("strong", {}, f.level), ` ${text}`);
}

// diffElement returns the pieces of two texts: what was removed, and what was added.
function diffElement(d) {
  const id = newID("diff");
  const text = h("pre", { class: "plain-text diff", tabindex: "0", "aria-labelledby": id });
  for (const piece of d.pieces) append(text, [piece.kind === "same" ? piece.text : h(piece.kind === "old" ? "del" : "ins", {}, piece.text)]);
  return h("section", { class: "json", "aria-labelledby": id }, h("header", {}, h("h3", { id }, d.kind === "template" ? "Template " : "What it renders: ", d.kind === "template" ? h("code", {}, d.name) : d.name)), text);
}
