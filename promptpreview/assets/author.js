// What the author of a prompt does with its files: values to begin with, cases, the
// template with what is wrong in it, and what has changed.

import { announce, append, editorIsKnown, editorURL, h, newID, onPoint, own, plural, replace, textNodes } from "./dom.js";
import { parted, placeElement, sizes, traced } from "./beside.js";
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

// linkTo returns the link that opens a prompt.
export const linkTo = (name) => "#/" + encodeURIComponent(name).replaceAll("%2F", "/");

const maxLines = 5_000;

// say says in an element what became of a case.
function say(said, isError, ...words) {
  said.className = isError ? "said field-error" : "said detail";
  said.setAttribute("role", isError ? "alert" : "status");
  replace(said, words);
}

const noChoice = "Choose values …";

const sameValues = (a, b) => Object.keys(a).length === Object.keys(b).length && Object.entries(a).every(([name, value]) => b[name] === value);

// AuthorTools are what the page has of the files of one prompt.
export class AuthorTools {
  info = null;
  findings = [];
  before = null; // the template and the messages before the last save
  traced = null; // a promise that the view of the template has the result
  #asking = null;
  #compared = null; // the kind of changes that was chosen; null for the one that fits
  #commit = ""; // ID, or "" for the revision that is typed
  #revision = "HEAD";
  #history = null; // the commits of the prompt, as a promise

  #lightArgument = null; // in the view of the template
  #view = 0; // of the template, drawn last
  #release = "";

  // onRender renders the values of the form unless that was done, and reports whether the
  // prompt accepts them. onSaved is called after a case was saved. texts returns those of the
  // result, and tests the cases of the prompt with their results.
  constructor(name, { onValues, onRender, onSaved, values, sensitive, texts, tests, form }) {
    Object.assign(this, { name, onRender, onSaved, texts, tests });
    const ofField = ".arguments > [data-field]";
    const light = (field) => this.#lightArgument?.(field.dataset.field);
    onPoint(form, ofField, light);
    form.addEventListener("focusin", (e) => {
      const field = e.target.closest(ofField);
      if (field) light(field);
    });
    this.values = values;
    this.sensitive = sensitive;
    this.onValues = onValues;
    this.bar = h("div", { class: "cases", role: "group", "aria-label": "Values and cases" });
  }

  // load reads the files; messages are those that were shown before. It reports whether
  // the template has changed.
  async load(messages) {
    const next = await ask("prompt", { prompt: this.name });
    await editorIsKnown;
    const same = (key) => this.info !== null && JSON.stringify(this.info[key]) === JSON.stringify(next[key]);
    // A partial changes what cases render, and a new case changes nothing.
    const isChanged = this.info !== null && (!same("text") || next.cases.some((c) => this.info.cases.some((old) => old.name === c.name && old.text !== c.text)));
    if (isChanged) this.before = { text: this.info.text, messages, cases: this.info.cases };
    const isSame = ["cases", "origin", "values", "file"].every(same);
    this.info = next;
    this.#history = null;
    if (!isSame) this.#drawBar(); // else it would lose what is being chosen and typed
    return isChanged;
  }

  // found returns the findings of check and test.
  get found() {
    return [...this.findings, ...this.tests().flatMap((c) => c.failures.map((f) => ({ ...f, message: `case “${c.name}”: ${f.message}` })))];
  }

  // problems is how many findings are no mere notes about clients.
  get problems() {
    return this.found.filter((f) => f.level !== "note").length;
  }

  async loadFindings() {
    this.findings = await ask("findings", { prompt: this.name });
  }

  // showCase puts the values of a case into the form.
  showCase(name) {
    const i = this.info?.cases.findIndex((c) => c.name === name) ?? -1;
    if (i < 0) return;
    this.onValues(this.info.cases[i].arguments);
    this.bar.querySelector("select").value = String(i);
  }

  #drawBar() {
    const { info } = this;
    const id = newID("case");
    const hasValues = info.values && Object.keys(info.values).length > 0;
    const label = hasValues && { examples: "Examples of the file", generated: "Generated values" }[info.origin];
    const menu = h("select", { id, onchange: () => {
      const chosen = info.cases[Number(menu.value)];
      menu.options[0].textContent = noChoice;
      replace(said);
      if (menu.value === "start") this.onValues(info.values);
      else if (chosen) this.onValues(chosen.arguments);
    } },
    h("option", { value: "" }, noChoice), label && h("option", { value: "start" }, label),
    info.cases.map((c, i) => {
      const option = h("option", {}, c.name);
      option.value = String(i);
      return option;
    }));
    const { form, open, said } = this.#caseForm();
    const known = this.bar.contains(document.activeElement);
    const chosen = this.bar.querySelector("select")?.selectedOptions[0].textContent;
    const hasChoice = menu.options.length > 1;
    replace(this.bar, hasChoice && h("label", { for: id }, "Values"), h("div", { class: "cases-line" }, hasChoice && menu, info.file && open), form, said);
    menu.selectedIndex = Math.max(0, [...menu.options].findIndex((o) => o.textContent === chosen));
    if (known) menu.focus();
  }

  // caseForm returns the form for a new case, the button that opens it, and what says what
  // became of the case.
  #caseForm() {
    const name = h("input", { type: "text", id: newID("name"), placeholder: "what the case shows", maxlength: "200", autocomplete: "off" });
    const hint = h("p", { class: "detail", id: newID("hint") }, "Select text in a message to check it.");
    const text = h("input", { type: "text", id: newID("contains"), placeholder: "a text of a message", autocomplete: "off", "aria-label": "Text that a message contains", "aria-describedby": hint.id });
    const said = h("p", { class: "detail said", role: "status" });
    const group = newID("expect");
    const choice = (value, ...label) => h("label", { class: "choice" }, h("input", { type: "radio", name: group, value, checked: value === "" }), h("span", {}, label));
    const choices = h("fieldset", {}, h("legend", {}, "Expect"), choice("", "only that the prompt renders"), choice("contains", "a message contains:"), text, hint, choice("golden", "the messages as they are now (golden file)"));
    const choose = (value) => { choices.querySelector(`[value="${value}"]`).checked = true; };
    text.addEventListener("input", () => choose("contains"));
    let taken = ""; // from the selection
    text.addEventListener("focus", () => { if (text.value === taken) text.select(); });
    text.addEventListener("mousedown", (e) => {
      if (text.value !== taken || document.activeElement === text) return;
      e.preventDefault(); // which would put the cursor into the text
      text.focus();
    });
    // take takes the text that is selected in the result.
    const take = () => {
      if (!form.isConnected || form.hidden) return document.removeEventListener("selectionchange", take);
      const selection = getSelection();
      const selected = String(selection).trim();
      if (selected === "" || selected.includes("\n") || !document.getElementById("panel")?.contains(selection.anchorNode) || !this.texts().some((t) => t.includes(selected))) return;
      text.value = taken = selected;
      choose("contains");
    };
    const button = h("button", { type: "button", class: "primary" }, "Save");
    const refuse = (why, field) => {
      say(said, true, why);
      field?.focus();
    };
    const save = async () => {
      const saved = name.value.trim();
      const chosen = choices.querySelector(":checked").value;
      if (saved === "") return refuse("Give the case a name.", name);
      if (chosen === "contains" && text.value.trim() === "") return refuse("Write a text that a message contains.", text);
      button.disabled = true;
      try {
        if (!await this.onRender()) return refuse("Not saved: the prompt does not render with these values. Correct the values first.");
        const expect = { contains: chosen === "contains" ? text.value : "", golden: chosen === "golden" };
        const { file, line, failures } = await ask("do/case", { prompt: this.name, name: saved, arguments: this.values(), expect });
        await this.load();
        const menu = this.bar.querySelector("select");
        menu.value = String(this.info.cases.findIndex((c) => c.name === saved));
        const link = (label) => h("a", { href: editorURL(this.info.root, file, line) }, label);
        say(this.bar.querySelector(".said"), failures.length > 0, `Saved “${saved}” in `, link(h("code", {}, file)), ". ",
          failures.length > 0 ? `The case fails: ${failures[0]}.` : chosen !== "" ? "The case passes." : ["The case checks only that the prompt renders. To check more, ", link("write expect: in the file"), "."]);
        announce(`Saved the case ${saved} in ${file}.${failures.length > 0 ? " It fails." : ""}`);
        menu.focus();
        this.onSaved();
      } catch (error) {
        refuse(`Not saved: ${error.message}`);
      } finally {
        button.disabled = false;
      }
    };
    button.addEventListener("click", save);
    const form = h("div", { class: "new-case", hidden: true }, h("label", { for: name.id }, "Name of the case"), name, choices, h("div", { class: "form-actions" }, button, h("button", { type: "button", onclick: () => { toggle(); open.focus(); } }, "Cancel")));
    for (const field of [name, text]) {
      field.addEventListener("keydown", (e) => {
        if (e.key === "Enter" && !e.ctrlKey && !e.metaKey) {
          e.preventDefault();
          save();
        }
      });
    }
    const toggle = () => {
      form.hidden = !form.hidden;
      open.setAttribute("aria-expanded", String(!form.hidden));
      if (form.hidden) return;
      say(said, false); // what became of the last case
      document.addEventListener("selectionchange", take);
      take();
      name.focus();
    };
    const open = h("button", { type: "button", "aria-expanded": "false", onclick: toggle }, "Save as a case");
    return { form, open, said };
  }

  // typed shows that the values are no longer those that were chosen.
  typed() {
    const menu = this.bar.querySelector("select");
    const chosen = menu?.value === "start" ? this.info.values : this.info?.cases[Number(menu?.value)]?.arguments;
    if (!menu || menu.value === "" || sameValues(chosen, this.values())) return;
    menu.value = "";
    menu.options[0].textContent = "Edited values";
  }

  // showStart shows which values are in the form.
  showStart() {
    const menu = this.bar.querySelector("select");
    if (menu) menu.value = this.info.origin === "case" ? String(this.info.cases.findIndex((c) => sameValues(c.arguments, this.info.values))) : "start";
  }

  // template returns the file with its findings, each at its line.
  template() {
    const { info } = this;
    if (!info?.file) return h("p", { class: "detail" }, "The prompt has no file.");
    const element = h("div", { class: "template" });
    const { found, problems } = this;
    const at = (path, line, column) => editorURL(info.root, path, line, column);
    const own = found.filter((f) => f.path === info.file);
    const others = found.filter((f) => f.path !== info.file || !f.line);
    element.append(h("p", { class: "detail" }, h("a", { href: at(info.file) }, h("code", {}, info.file)), ` · ${found.length === 0 ? "check and test find nothing" : `${[problems > 0 && plural(problems, "finding"), found.length > problems && plural(found.length - problems, "note")].filter(Boolean).join(", ")} of check and test`}`));
    // finding returns what is wrong, as a link to its place.
    const finding = (f, withPlace) => h("a", { href: at(f.path, f.line, f.column) }, withPlace && h("code", {}, f.path + (f.line ? `:${f.line}` : "")), withPlace && " ", h("strong", {}, f.level), ` ${f.hint ? `${f.message}; ${f.hint}` : f.message}`);
    const list = (all) => all.length > 0 && h("ul", { class: "findings" }, all.map((f) => h("li", { class: f.level }, finding(f, true))));
    const notes = others.filter((f) => f.level === "note");
    append(element, [list(others.filter((f) => f.level !== "note")), notes.length > 0 && h("details", { class: "notes" }, h("summary", {}, plural(notes.length, "note")), list(notes))]);
    const lines = info.text.replace(/\n$/, "").split("\n");
    const source = h("ol", { class: "source", "aria-label": "Template", tabindex: "0" }, lines.slice(0, maxLines).map((line, i) => {
      const here = own.filter((f) => f.line === i + 1);
      return h("li", { class: here.length > 0 ? "has-finding" : null },
        h("a", { href: at(info.file, i + 1), class: "line-number", "aria-label": `Line ${i + 1}: open in the editor` }, String(i + 1)),
        h("code", {}, line === "" ? "\u00a0" : line), here.map((f) => h("p", { class: `finding ${f.level}` }, finding(f, false))));
    }));
    const result = h("div", { class: "traced-side" }, h("p", { class: "detail" }, "Rendering …"));
    const from = h("p", { class: "detail from", role: "status" });
    element.append(from, h("div", { class: "beside" }, h("div", {}, source, lines.length > maxLines && h("p", { class: "detail" }, `${maxLines.toLocaleString("en")} of ${plural(lines.length, "line")}.`)), result));
    this.traced = this.#trace(result, from, source);
    const end = lines[0] === "---" ? lines.indexOf("---", 1) : -1; // of the front matter
    if (end > 0) requestAnimationFrame(() => { source.scrollTop = source.children[Math.min(end + 1, source.children.length - 1)].offsetTop - source.offsetTop; });
    return element;
  }

  // trace shows the result of the values in the form beside the template.
  async #trace(result, from, source) {
    const view = ++this.#view;
    this.#lightArgument = null;
    try {
      const messages = parted(await ask("trace", { prompt: this.name, arguments: this.values() }));
      if (view !== this.#view) return;
      const t = traced(messages, { file: this.info.file, source, onPlace: (p) => replace(from, placeElement(this.info.root, p)) });
      this.#lightArgument = t.lightArgument;
      replace(from, placeElement());
      const table = h("div", {}, sizes(messages, t.lightPart));
      replace(result, t.element, table);
      loadTokens().then(({ countTokens }) => {
        if (view !== this.#view) return;
        const hadFocus = table.contains(document.activeElement);
        replace(table, sizes(messages, t.lightPart, countTokens));
        if (hadFocus) table.firstElementChild.focus();
      }, () => {}); // the page goes without
    } catch (error) {
      if (view === this.#view && this.#lightArgument === null) replace(result, h("p", { class: "detail" }, `Not rendered: ${error.message}`));
    }
  }

  // changes returns what a save or a commit has changed, or what has changed since then.
  // messages are those of now.
  changes(messages) {
    const result = h("div", {});
    const kind = h("select", { id: newID("kind") }, Object.entries({ save: "since the last save", in: "in a commit", commit: "since a commit", release: "since a release" }).map(([value, label]) => {
      const option = h("option", {}, label);
      option.value = value;
      return option;
    }));
    const commits = h("select", { "aria-label": "Commit" });
    const text = (value, label, placeholder) => h("input", { type: "text", value, "aria-label": label, placeholder, spellcheck: "false", autocomplete: "off", class: "mono revision" });
    const revision = text(this.#revision, "Revision", "HEAD~1");
    const release = text(this.#release, "Release", "oci://HOST/REPOSITORY:LABEL");
    const say = (...words) => replace(result, h("p", { class: "detail" }, words));
    let history = { commits: [] };
    let shown = 0;
    const show = async () => {
      const number = ++shown;
      const isOfCommit = kind.value === "in" || kind.value === "commit";
      const known = history.commits.find((c) => c.id === commits.value);
      commits.hidden = !isOfCommit || history.commits.length === 0;
      revision.hidden = !isOfCommit || known !== undefined;
      release.hidden = kind.value !== "release";
      this.#revision = revision.value;
      this.#release = release.value;
      const { name } = this;
      const with_ = known ? known.id : revision.value.trim();
      if (kind.value === "release" && release.value.trim() === "") return say("Write the reference of a release, such as oci-layout:FOLDER:LABEL or oci://HOST/REPOSITORY:LABEL.");
      if (kind.value === "save" && !this.before) return say("The file has not changed since the page was opened.", history.commits.length > 0 && " Choose “in a commit” to see older changes.");
      if (isOfCommit && history.error) return say(`Commits are not known: ${history.error}`);
      say("Comparing …");
      try {
        const diffs = await ({
          save: () => ask("changes", { prompt: name, texts: this.#sinceSave(messages) }),
          in: () => ask("changes", { prompt: name, with: with_, alone: true }),
          commit: () => ask("changes", { prompt: name, with: with_ }),
          release: () => ask("do/release", { prompt: name, with: release.value.trim() }),
        })[kind.value]();
        if (number !== shown) return;
        replace(result, isOfCommit && known && commitElement(known, known === history.commits[0]), diffs.length === 0 ? h("p", { class: "detail" }, "Nothing has changed.") : diffs.map(diffElement));
      } catch (error) {
        if (number === shown) say(error.message);
      }
    };
    for (const field of [kind, commits, revision, release]) {
      field.addEventListener("change", () => {
        this.#compared = kind.value;
        this.#commit = commits.value;
        show();
        if (field === commits && commits.value === "") revision.focus();
      });
    }
    this.#history ??= ask("commits", { prompt: this.name }).catch((error) => ({ commits: [], error: error.message }));
    commits.hidden = revision.hidden = release.hidden = true;
    say("Looking …");
    this.#history.then((all) => {
      history = all;
      const option = (value, label) => Object.assign(h("option", {}, label), { value });
      replace(commits, all.commits.length > 0 && h("optgroup", { label: "Commits of this prompt" }, all.commits.map((c) => option(c.id, `${c.short} ${c.subject} · ${c.author}, ${dateOf(c)}`))),
        option("", all.more ? "an older commit or another revision …" : "another revision …"));
      commits.value = this.#commit !== "" && all.commits.some((c) => c.id === this.#commit) ? this.#commit : this.#compared !== null && this.#commit === "" ? "" : all.commits[0]?.id ?? "";
      // What the author has done is nearer than what others did.
      kind.value = this.#compared ?? (this.before || all.commits.length === 0 ? "save" : all.changed ? "commit" : "in");
      show();
    });
    return [h("div", { class: "compare" }, h("label", { for: kind.id }, "Changes"), kind, commits, revision, release), result];
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
    return this.sensitive().map((name) => own(this.values(), name)).filter(Boolean);
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

// dateOf returns the day of a commit.
const dateOf = (commit) => commit.time.slice(0, 10);

// commitElement returns what is known of a commit, with links to the other prompts in it.
function commitElement(commit, isLast) {
  const others = commit.others.map((name, i) => [i > 0 && ", ", h("a", { href: linkTo(name) }, name)]);
  return h("div", { class: "detail commit" },
    h("p", {}, isLast ? "Last commit" : "Commit", " of this prompt: ", h("code", {}, commit.short), ` ${commit.subject} · ${commit.author}, ${dateOf(commit)}`),
    others.length > 0 && h("p", {}, "Also changes ", others, commit.nMore > 0 && ` and ${commit.nMore.toLocaleString("en")} more`));
}

// What is shown of a text around a change. The rest is folded, unless it is short.
const contextLines = 4; // the rest of the changed line among them
const contextLength = 400; // characters
const minFolded = 4; // lines

// diffElement returns the pieces of two texts: what was removed, what was added, and what is
// around that.
function diffElement(d) {
  const id = newID("diff");
  const text = h("pre", { class: "plain-text diff", tabindex: "0", "aria-labelledby": id });
  d.pieces.forEach((piece, i) => {
    if (piece.kind !== "same") return append(text, [h(piece.kind === "old" ? "del" : "ins", {}, piece.text)]);
    const [head, folded, tail] = fold(piece.text, i > 0, i < d.pieces.length - 1);
    append(text, [head, folded !== "" && unfolding(folded, text, isCut(head), isCut(folded)), tail]);
  });
  const state = d.pieces.every((piece) => piece.kind === "new") ? " (new)" : d.pieces.every((piece) => piece.kind === "old") ? " (removed)" : "";
  const title = { name: "Moved to another file", template: ["Template ", h("code", {}, d.name), state], case: ["What it renders: ", d.name, state] };
  return h("section", { class: "json", "aria-labelledby": id }, h("header", {}, h("h3", { id }, title[d.kind])), text);
}

// fold parts an unchanged text into the part after a change, the one to fold, and the one
// before the next change.
function fold(text, isAfter, isBefore) {
  const lines = text.split(/(?<=\n)/);
  const [from, to] = [isAfter ? contextLines : 0, lines.length - (isBefore ? contextLines : 0)];
  let head = lines.slice(0, from).join("");
  let tail = to >= from ? lines.slice(to).join("") : text.slice(head.length);
  head = head.slice(0, contextLength).replace(/[\ud800-\udbff]$/, ""); // no half of a character
  tail = tail.slice(-contextLength).replace(/^[\udc00-\udfff]/, "");
  const folded = text.slice(head.length, text.length - tail.length);
  const isShort = folded.length <= contextLength && folded.split("\n").length <= minFolded;
  return isShort ? [text, "", ""] : [head, folded, tail];
}

// isCut reports whether a text ends in mid-line.
const isCut = (text) => text !== "" && !text.endsWith("\n");

// unfolding returns a button in the place of a text, which shows the text. The marks say that
// the lines before and after it are cut.
function unfolding(folded, text, isHeadCut, isTailCut) {
  const n = folded.split("\n").length - 1;
  const [before, after] = [isHeadCut, isTailCut].map((is) => is && h("span", {}, "…"));
  const button = h("button", { type: "button", class: "plain unfold", onclick: () => {
    if (before) before.remove();
    if (after) after.remove();
    button.replaceWith(...textNodes(folded));
    text.focus({ preventScroll: true });
  } }, `Show ${n > 0 ? plural(n, "unchanged line") : plural(folded.length, "unchanged character")}`);
  return [before, button, after];
}
