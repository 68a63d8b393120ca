// The page: which prompt is open, its form and its result, and what happens when
// something changes on the server.

import { announce, editorURL, h, own, plural, replace, setEditor, visible } from "./dom.js";
import { complete, discover, getPrompt, listPrompts, RPCError, Unreachable } from "./client.js";
import { connect } from "./live.js";
import { PromptList, searchable } from "./list.js";
import { stepsOf } from "./field.js";
import { argumentFields, questionFields } from "./form.js";
import { ask, AuthorTools, isAuthor, linkTo, shareable } from "./author.js";
import { copyMenu } from "./copy.js";
import { inWords, Tests } from "./tests.js";
import { conversation, copyButton, hiding, json, lengths, loadMarkdown, portability, withoutSecrets } from "./result.js";

// texts returns the texts of all messages, as one puts them into a chat.
const texts = (result) => result.messages.map(({ content: c }) => c.text ?? c.resource?.text ?? c.uri).filter(Boolean).join("\n\n");

// shortDigest returns the start of a digest, which is enough to recognize a version.
const shortDigest = (text) => text.replace(/^sha256:([0-9a-f]{12})[0-9a-f]{52}$/, "$1…");

// What the page calls the version of a result.
const versions = {
  digest: ["fingerprint", "the digest of the prompt. Compare it with the digest that a server shows, to know whether the server has this text."],
  release: ["release", "the release of the folder, made of the digests of all prompts."],
  label: ["label", "the label of the release."],
};

const $ = (id) => document.getElementById(id);
const main = $("main");

// What the server has. The entries are by name.
let entries = new Map();
let served = {}; // the release of the list
let isListed = false;
let fileErrors = [];
const marks = new Map();

// The values that were typed, by prompt, for as long as the page is open.
const typed = new Map();

let open = null; // the PromptView of the prompt that is open

const list = new PromptList({
  input: $("search"), list: $("list"), scroller: $("scroller"), count: $("count"),
  onChoose(name, byKey) {
    choose(name, { focus: byKey });
  },
  onSearch: isAuthor ? (search) => ask("search", { search }) : null,
});

const tests = new Tests({
  onResults() {
    const [state, words] = tests.summary();
    $("tests-open").className = `tests-state ${state}`;
    $("tests-open").textContent = words;
    drawMarks();
    open?.tested();
  },
  async onCase({ prompt, name }) {
    choose(prompt);
    const view = open;
    await view?.begun;
    view?.tools?.showCase(name);
  },
});

// PromptView shows a prompt: its form, and what became of it.
class PromptView {
  #fields = [];
  #abort = null;
  #rechecking = null;
  #later;
  #answers = {}; // to questions, by key, with the question
  #tab = "conversation";

  constructor(entry) {
    this.name = entry.name;
    this.entry = entry;
    this.header = h("header", { class: "prompt-header" });
    this.version = h("p", { class: "prompt-version detail" });
    this.notices = h("div", { class: "notices" });
    this.form = h("form", { class: "arguments", "aria-label": "Arguments", novalidate: true, onsubmit: (e) => { e.preventDefault(); this.render({ isAsked: true }); }, oninput: (e) => this.#typed(e), onchange: (e) => this.#typed(e) });
    this.pane = h("section", { class: "pane", "aria-label": "Result" });
    replace(main, h("div", { class: "work" }, h("div", { class: "side" }, this.header, this.notices, this.form), this.pane));
    main.setAttribute("aria-label", visible(`Prompt ${entry.title || entry.name}`));
    this.form.addEventListener("keydown", (e) => this.#key(e));
    this.#drawHeader();
    this.#drawForm();
    if (isAuthor) {
      this.tools = new AuthorTools(this.name, {
        form: this.form, values: () => this.arguments(), sensitive: () => this.sensitive, tests: () => tests.of(this.name), texts: () => (this.result?.messages ?? []).map(({ content: c }) => c.text ?? c.resource?.text ?? ""),
        onValues: (values) => { this.fill(values); this.render(); },
        onRender: async () => {
          if (!this.result || this.pane.classList.contains("is-stale")) await this.render();
          return Boolean(this.question) || this.result !== undefined && !this.pane.classList.contains("is-stale");
        },
        onSaved: () => { this.#find(); tests.run(); },
      });
      this.form.before(this.tools.bar);
    }
    this.#drawPane();
    this.drawNotices();
  }

  // begin reads the files of the prompt. If nothing is in the form yet, it renders the
  // prompt with the values to begin with.
  async begin({ mayFill }) {
    if (!this.tools) return;
    try {
      await this.tools.load();
    } catch {
      return; // the prompt is shown without its files
    }
    if (open !== this) return;
    const { values } = this.tools.info;
    const isEmpty = Object.keys(this.arguments()).length === 0;
    if (mayFill && values && isEmpty && (this.#fields.length > 0 || !this.exchange)) {
      this.fill(values);
      this.tools.showStart();
      this.render();
    } else if (mayFill && !isEmpty && !this.exchange && !this.#abort && this.#fields.every((f) => !f.required || f.isGiven())) {
      this.render(); // with what was typed before
    } else this.#redrawTab();
    await this.#find();
  }

  // tested shows the results of the cases.
  tested() {
    const results = JSON.stringify(tests.of(this.name));
    if (results === this.results) return;
    this.results = results;
    this.drawNotices();
    if (this.tools?.info) this.#redrawTab();
  }

  // saved reads the files after a change. before has the messages of before.
  async saved(before) {
    if (!this.tools?.info || this.isGone) return;
    try {
      await this.tools.load(before);
      await this.#find();
    } catch { /* the prompt is shown without its files */ }
  }

  async #find() {
    try {
      await this.tools.loadFindings();
      if (open === this) this.#redrawTab();
    } catch { /* status says that the server does not answer */ }
  }

  // redrawTab shows what has become known of the files, in the tabs about them.
  #redrawTab() {
    const selected = this.pane.querySelector("[role=tab][aria-selected=true]");
    const lacksTabs = this.tools.info?.file && !this.pane.querySelector("#tab-template"); // it was rendered before its files were read
    if (!selected || lacksTabs) this.#drawPane();
    else if (this.#tab === "template" || this.#tab === "changes") this.showTab?.(this.#tab);
    const count = this.tools.problems;
    const label = this.pane.querySelector("#tab-template");
    if (label) label.textContent = count > 0 ? `Template (${count})` : "Template";
  }

  // fill sets all fields.
  fill(values) {
    for (const f of this.#fields) {
      const value = own(values, f.name);
      f.set(value ?? "");
      if (value === undefined && f.emptyBox) f.emptyBox.querySelector("input").checked = false;
    }
    this.#remember();
    writeLink();
  }

  // update takes a new declaration; null if the prompt is no longer there.
  update(entry) {
    const isGone = entry === null;
    const isSame = !isGone && JSON.stringify(entry) === JSON.stringify(this.entry);
    const wasGone = this.isGone;
    this.isGone = isGone;
    if (isGone) {
      this.stop();
      if (!wasGone) announce(this.movedTo ? `The prompt is now ${this.movedTo}.` : "The prompt was removed.");
    } else if (!isSame) {
      this.entry = entry;
      this.#drawHeader();
      this.#redrawForm();
    }
    this.renderButton.disabled = isGone;
    this.#drawVersion();
    this.drawNotices();
    if (wasGone && !isGone && this.exchange) this.render({ isChange: true });
  }

  // stop ends what runs, and forgets about it.
  stop() {
    const abort = this.#abort;
    this.#abort = null;
    abort?.abort();
    this.#rechecking?.abort();
  }

  // values returns the values of all fields, undefined for one that has none.
  values() {
    return Object.fromEntries(this.#fields.map((f) => [f.name, f.isGiven() ? f.get() : undefined]));
  }

  arguments() {
    return Object.fromEntries(Object.entries(this.values()).filter(([, v]) => v !== undefined));
  }

  // known returns those of the arguments that the prompt has.
  #known(args) {
    return Object.fromEntries(Object.entries(args).filter(([name]) => this.#fields.some((f) => f.name === name)));
  }

  get sensitive() {
    return this.#fields.filter((f) => f.sensitive).map((f) => f.name);
  }

  #drawHeader() {
    const { entry } = this;
    const icon = (entry.icons || []).find((i) => /^data:image\//i.test(i.src));
    const version = entry._meta?.["io.github.mcp-prompts/version"];
    const img = icon && h("img", { alt: "", width: "28", height: "28" });
    if (icon) img.src = icon.src; // of others nothing is loaded
    replace(this.header,
      h("div", { class: "prompt-title" }, img, h("h2", { tabindex: "-1" }, entry.title || entry.name.split(/(?<=\/)/).map((part) => [part, h("wbr")])),
        entry.title && h("code", {}, entry.name), typeof version === "string" && h("span", { class: "badge" }, `version ${version}`)),
      entry.description && h("p", { class: "description" }, entry.description), this.version,
      h("div", { class: "prompt-actions" }, copyMenu(() => ({ entry: this.entry, args: this.arguments(), sensitive: this.sensitive, result: this.result, folder: this.tools?.info?.folder, link: shareable() }))));
    document.title = visible(`${entry.title || entry.name} · ${$("server").textContent}`);
  }

  // drawVersion shows the version of the result, or without one that of the list.
  #drawVersion() {
    const meta = this.result ? this.result._meta : { ...served, ...this.entry._meta };
    const parts = ["digest", "release", "label"].map((key) => [key, meta?.[`io.github.mcp-prompts/${key}`]]).filter(([, value]) => typeof value === "string");
    replace(this.version, parts.map(([key, value], i) => [i > 0 && " · ", `${versions[key][0]}\u00a0`, h("code", { title: `${value}: ${versions[key][1]}` }, shortDigest(value))]));
    this.version.hidden = parts.length === 0;
  }

  #drawForm() {
    const values = typed.get(this.name);
    this.#fields = argumentFields(this.entry, (argument, value, signal) => {
      const others = this.arguments();
      delete others[argument];
      return complete(this.name, argument, value, others, signal);
    });
    for (const f of this.#fields) {
      const value = own(values, f.name);
      if (value !== undefined) f.set(value);
    }
    this.problems = h("div", { class: "problems", role: "alert" });
    this.renderButton = h("button", { type: "submit", class: "primary" }, "Render ", h("kbd", {}, "Ctrl ⏎"));
    replace(this.form,
      this.#fields.length > 0 ? this.#fields.map((f) => f.element) : h("p", { class: "detail" }, "The prompt has no arguments."),
      this.problems, h("div", { class: "form-actions" }, this.renderButton));
    this.renderButton.disabled = this.isGone === true;
  }

  // redrawForm draws the form of a new declaration around what the user is doing.
  #redrawForm() {
    this.#remember();
    const active = this.form.contains(document.activeElement) ? document.activeElement : null;
    const name = active?.closest(".arguments > [data-field]")?.dataset.field;
    const asJSON = this.#fields.filter((f) => f.isJSON).map((f) => f.name);
    const selection = active && "selectionStart" in active ? [active.selectionStart, active.selectionEnd] : null;
    this.#drawForm();
    const field = name !== undefined && this.#fields.find((f) => visible(f.name) === name);
    for (const f of this.#fields) {
      if (asJSON.includes(f.name) && f.isJSON === false) f.set(f.get(), { asJSON: true });
    }
    if (field) {
      const input = active.name !== "" && field.element.querySelector(`[name="${CSS.escape(active.name)}"]`);
      if (input) input.focus();
      else field.focus();
      try {
        if (selection?.[0] != null) document.activeElement.setSelectionRange(...selection);
      } catch { /* not all fields have a selection */ }
    } else if (active) this.renderButton.focus();
  }

  #remember() {
    // Values of arguments that the declaration no longer has are kept, too.
    typed.set(this.name, { ...typed.get(this.name), ...this.values() });
  }

  #typed(e) {
    this.#remember();
    if (!e.target.closest(".as-json")) this.#recheck(); // the switch shows the errors itself
    writeLink();
    this.#markStale();
    this.tools?.typed();
  }

  // recheck asks the server whether the values of fields with errors are still bad. Until the
  // server has answered, the errors stay.
  #recheck() {
    clearTimeout(this.#later);
    this.#rechecking?.abort();
    if (!this.#fields.some((f) => f.hasFailed)) return;
    const { signal } = this.#rechecking = new AbortController();
    this.#later = setTimeout(async () => {
      let problems = [];
      try {
        await getPrompt(this.name, this.arguments(), { signal });
      } catch (error) {
        if (!(error instanceof RPCError)) return;
        problems = error.data?.problems ?? [];
      }
      if (signal.aborted) return;
      for (const f of this.#fields.filter((field) => field.hasFailed)) {
        f.clear();
        for (const p of problems) if (p.argument === f.name) f.fail(p.message, stepsOf(p.path ?? ""));
      }
    }, 100);
  }

  #markStale() {
    this.pane.classList.toggle("is-stale", this.result !== undefined && JSON.stringify(this.arguments()) !== JSON.stringify(this.submitted));
  }

  #key(e) {
    if (e.key === "Escape") {
      if (this.#abort) this.#abort.abort();
      else $("search").focus();
      e.preventDefault();
    }
  }

  // restore fills the form from a link.
  restore(values) {
    for (const f of this.#fields) {
      const value = own(values, f.name);
      if (value !== undefined && !f.sensitive) f.set(value);
    }
    this.#remember();
  }

  focus() {
    const first = this.#fields[0];
    if (first) first.focus();
    else this.renderButton.focus();
  }

  // secrets are the values of sensitive arguments that the result may have.
  get secrets() {
    return this.sensitive.map((name) => own(this.submitted, name)).filter(Boolean);
  }

  get hasRequired() {
    return this.#fields.some((f) => f.required);
  }

  // render renders the prompt. After a change of the prompt, and with answers, it
  // renders with the arguments of before, whatever is being typed. It marks what a
  // change has changed. What the user has asked for is brought into view.
  async render({ isChange = false, isAsked = false, answers, requestState } = {}) {
    if (this.isGone) return;
    this.#abort?.abort();
    this.#rechecking?.abort();
    const abort = this.#abort = new AbortController();
    const args = isChange || answers ? this.#known(this.submitted) : this.arguments();
    this.submitted = args;
    const exchange = {};
    const before = isChange ? this.lastResult : undefined;
    if (!isChange) for (const f of this.#fields) f.clear();
    replace(this.problems);
    const started = performance.now();
    const waiting = this.#wait(abort, started, isAsked);
    history.replaceState({ ...history.state, isRendered: true }, "");
    let outcome;
    try {
      await markdownIsLoaded;
      const result = await getPrompt(this.name, args, {
        answers, requestState, exchange, signal: abort.signal,
        onNotification: (m) => { if (m.method === "notifications/progress") waiting.progress(m.params); },
      });
      outcome = { result };
    } catch (error) {
      if (this.#abort !== abort) return; // another render has begun
      outcome = { error };
    } finally {
      waiting.end();
    }
    if (this.#abort !== abort) return;
    this.#abort = null;
    if (open !== this) return;
    this.exchange = exchange;
    this.took = performance.now() - started;
    const isUnknown = outcome.error?.data?.prompt === this.name && !outcome.error.data.problems;
    if (isUnknown && isChange) return; // which the next list says, too
    if (outcome.error) this.#failed(outcome.error, isChange);
    else if (outcome.result.resultType === "input_required") this.#ask(outcome.result, isChange);
    else this.#rendered(outcome.result, before);
    if (isAsked && !this.#fields.some((f) => f.hasFailed)) this.#reveal();
  }

  // reveal brings the result into view if it is below the window.
  #reveal() {
    if (this.pane.getBoundingClientRect().top > innerHeight - 160) this.pane.scrollIntoView({ block: "start" });
  }

  // wait shows that the server is at work, once that takes a while.
  #wait(abort, started, isAsked) {
    const bar = h("progress", { "aria-label": "Progress" });
    const text = h("span", {}, "Rendering …");
    const element = h("div", { class: "waiting" }, bar, text, h("button", { type: "button", onclick: () => abort.abort() }, "Cancel"));
    const show = setTimeout(() => {
      this.pane.prepend(element);
      if (isAsked) this.#reveal();
    }, 150);
    let message = "";
    const tick = setInterval(() => {
      replace(text, `Rendering for ${Math.round((performance.now() - started) / 1000)} s`, message && ` · ${message}`);
    }, 1000);
    this.pane.setAttribute("aria-busy", "true");
    return {
      progress: (p) => {
        if (typeof p.total === "number" && p.total > 0) Object.assign(bar, { max: p.total, value: Math.min(p.progress, p.total) });
        message = [p.message, p.total ? `${p.progress} of ${p.total}` : `${p.progress}`].filter(Boolean).join(", ");
        replace(text, message);
        element.dataset.progress = String(p.progress);
      },
      end: () => {
        clearTimeout(show);
        clearInterval(tick);
        element.remove();
        if (this.#abort === abort || !this.#abort) this.pane.removeAttribute("aria-busy");
      },
    };
  }

  #rendered(result, before) {
    this.result = this.lastResult = result;
    this.failure = null;
    this.question = null;
    for (const f of this.#fields) f.clear();
    const changes = this.#drawPane(before);
    this.#markStale();
    if (before) {
      if (changes > 0) announce(`The prompt has changed: ${plural(changes, "message")}.`);
    } else announce(`Rendered, ${plural(result.messages.length, "message")}.`);
  }

  #failed(error, isChange) {
    this.question = null;
    if (error.name === "AbortError") {
      this.failure = { title: "Canceled", text: "The server was told to stop." };
    } else if (error instanceof Unreachable) {
      this.failure = { title: "The server did not answer", text: `${error.message} The page tries again, and what you typed is kept.` };
    } else if (error instanceof RPCError) {
      this.#problems(error, isChange);
      this.failure = inWordsOf(error);
      if (error.code === -32603 && this.tools) this.#showReason(this.failure);
    } else this.failure = { title: "The page has failed", text: String(error) };
    if (error.name !== "AbortError") this.result = undefined;
    this.#drawPane();
    announce(`${this.failure.title}. ${this.failure.text}`);
  }

  // showReason adds the reason of a failure, which a client does not get.
  async #showReason(failure) {
    const hide = hiding(this.secrets);
    await ask("trace", { prompt: this.name, arguments: this.submitted }).catch((error) => { Object.assign(failure, { text: hide(error.message), more: "" }); });
    if (this.failure === failure && open === this) this.#drawPane();
  }

  // problems shows the problems of arguments at their fields.
  #problems(error, isChange) {
    const problems = Array.isArray(error.data?.problems) ? error.data.problems : [];
    const others = [];
    let first;
    for (const f of this.#fields) f.clear();
    for (const p of problems) {
      const field = this.#fields.find((f) => f.name === p.argument);
      if (!field) {
        others.push(`${p.argument}: ${p.message}`);
        continue;
      }
      const failed = field.fail(p.message, stepsOf(p.path ?? ""));
      first ??= failed;
    }
    replace(this.problems, others.length > 0 && h("ul", {}, others.map((o) => h("li", {}, o))));
    if (first && !isChange) first.focus();
  }

  // ask shows the questions of the prompt. After a change, answers that were given to
  // the same questions are given again.
  #ask(result, isChange) {
    const requests = Object.entries(result.inputRequests || {});
    const known = requests.every(([key, r]) => this.#answers[key]?.question === JSON.stringify(r));
    if (isChange && requests.length > 0 && known) {
      const answers = Object.fromEntries(requests.map(([key]) => [key, this.#answers[key].answer]));
      if (JSON.stringify(answers) !== this.repeated) {
        this.repeated = JSON.stringify(answers);
        this.render({ isChange, answers, requestState: result.requestState });
        return;
      }
    }
    this.repeated = undefined;
    const text = JSON.stringify(requests);
    if (isChange && this.question?.text === text) {
      this.question.requestState = result.requestState; // and the form stays
      return;
    }
    this.failure = null;
    this.question = { text, requestState: result.requestState };
    this.#drawPane();
    const form = this.#questionForm(requests);
    this.pane.append(form);
    announce("The prompt asks a question.");
    if (!isChange) form.querySelector("input, select, textarea, button")?.focus();
  }

  #questionForm(requests) {
    const parts = requests.map(([key, r]) => {
      const p = r.params || {};
      const isForm = r.method === "elicitation/create" && p.mode !== "url";
      const fields = isForm ? questionFields(p.requestedSchema) : [];
      let body = fields.map((f) => f.element);
      if (r.method === "elicitation/create" && p.mode === "url") {
        body = [h("p", {}, /^https?:/i.test(p.url) ? h("a", { href: p.url, target: "_blank", rel: "noopener noreferrer nofollow" }, p.url) : h("code", {}, p.url)), h("p", { class: "detail" }, "Open the address, and accept when it is done.")];
      } else if (!isForm) body = [h("p", { class: "field-error" }, `The page cannot answer ${r.method}.`)];
      return { key, request: r, fields, isForm, element: h("fieldset", { class: "question" }, h("legend", {}, p.message || key), body) };
    });
    const answer = (action) => {
      const answers = {};
      for (const part of parts) {
        const content = Object.fromEntries(part.fields.filter((f) => f.isGiven() || (f.required && f.type === "array")).map((f) => [f.name, f.json()]));
        answers[part.key] = action === "accept" && part.isForm ? { action, content } : { action };
        if (action === "accept") this.#answers[part.key] = { question: JSON.stringify(part.request), answer: answers[part.key] };
      }
      const { requestState } = this.question;
      this.render({ answers, requestState, isAsked: true });
    };
    const submit = () => {
      const missing = parts.flatMap((p) => p.fields).filter((f) => {
        const isMissing = f.required && !f.isGiven() && f.type !== "array";
        f.setError(isMissing ? "is required" : "");
        return isMissing;
      });
      if (missing.length > 0) missing[0].focus();
      else answer("accept");
    };
    return h("form", { class: "questions", "aria-label": "Questions of the prompt", novalidate: true, onsubmit: (e) => { e.preventDefault(); submit(); }, oninput: () => parts.flatMap((p) => p.fields).forEach((f) => f.isGiven() && f.clear()) },
      parts.map((p) => p.element),
      h("div", { class: "form-actions" }, h("button", { type: "submit", class: "primary" }, "Accept ", h("kbd", {}, "Ctrl ⏎")), h("button", { type: "button", onclick: () => answer("decline") }, "Decline"), h("button", { type: "button", onclick: () => answer("cancel") }, "Cancel")));
  }

  // drawPane draws the result, and returns how many messages have changed.
  #drawPane(before) {
    this.#drawVersion();
    this.pane.classList.remove("is-stale");
    if (!this.exchange && !this.tools?.info?.file) {
      replace(this.pane, h("p", { class: "empty" }, this.hasRequired ? "Fill in the arguments and render the prompt." : "Render the prompt to see its messages."));
      return 0;
    }
    let changes = 0;
    const hasFile = Boolean(this.tools?.info?.file);
    const found = this.tools?.problems;
    const tabs = { conversation: "Conversation", ...(hasFile && { template: found ? `Template (${found})` : "Template", changes: "Changes" }), ...(this.tools?.info?.canAsk && { answer: "Answer" }), ...(this.exchange && { json: "JSON", clients: "Clients" }) };
    if (!tabs[this.#tab]) this.#tab = "conversation";
    const panels = {
      template: () => this.tools.template(),
      answer: () => this.tools.answer((text) => conversation({ messages: [{ role: "assistant", content: { type: "text", text } }] }).element),
      changes: () => this.tools.changes(this.result?.messages),
      conversation: () => {
        if (!this.exchange) return h("p", { class: "empty" }, "Fill in the arguments and render the prompt.");
        if (this.failure) return h("div", { class: "failure", role: "group", "aria-label": "Error" }, h("h3", {}, this.failure.title), h("p", { class: "reason" }, this.failure.text), this.failure.more && h("p", { class: "detail" }, this.failure.more));
        if (this.question) return h("p", { class: "detail" }, "The prompt asks:");
        const secrets = this.secrets;
        const result = withoutSecrets(this.result, secrets);
        const c = conversation(result, before && withoutSecrets({ messages: before.messages }, secrets));
        ({ changes } = c);
        return [result.description && result.description !== this.entry.description && h("p", { class: "detail" }, result.description),
          h("div", { class: "totals-line" }, lengths(result, `${this.took < 10 ? this.took.toFixed(1) : Math.round(this.took)} ms`, hasFile ? () => this.#showLength() : null), copyButton(() => texts(result), "Copy all")), c.element];
      },
      json: () => {
        const { secrets } = this;
        return [json("Request", this.exchange.request, { names: this.sensitive, secrets }), this.exchange.response && json("Response", this.exchange.response, { secrets })];
      },
      clients: () => {
        const element = h("div", {}, h("p", { class: "detail" }, "Looking …"));
        portability(this.entry, this.result).then((table) => replace(element, table), () => replace(element, h("p", { class: "detail" }, "The server does not answer.")));
        return element;
      },
    };
    const bar = h("div", { role: "tablist", class: "tabs", "aria-label": "Views of the result" }, Object.entries(tabs).map(([key, label]) => h("button", {
      type: "button", role: "tab", id: `tab-${key}`, "aria-controls": "panel", "aria-selected": String(key === this.#tab), tabindex: key === this.#tab ? "0" : "-1",
      onclick: () => {
        show(key);
        if (panel.getBoundingClientRect().top > innerHeight / 2) this.pane.scrollIntoView({ block: "start" }); // in a small window
      },
      onkeydown: (e) => {
        const keys = Object.keys(tabs);
        const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
        if (!step) return;
        e.preventDefault();
        show(keys[(keys.indexOf(key) + step + keys.length) % keys.length], true);
      },
    }, label)));
    const panel = h("div", { role: "tabpanel", id: "panel", class: "panel" });
    const questions = this.pane.querySelector("form.questions");
    const show = (key, withFocus) => {
      this.#tab = key;
      for (const tab of bar.children) {
        const isSelected = tab.id === `tab-${key}`;
        tab.setAttribute("aria-selected", String(isSelected));
        tab.tabIndex = isSelected ? 0 : -1;
        if (isSelected && withFocus) tab.focus();
      }
      panel.setAttribute("aria-labelledby", `tab-${key}`);
      replace(panel, panels[key]());
      before = undefined; // what has changed is marked once
    };
    this.showTab = show;
    replace(this.pane, h("div", { class: "pane-head" }, bar), h("p", { class: "stale" }, "The arguments have changed since. Press Render."), panel);
    if (this.question && questions) this.pane.append(questions);
    show(this.#tab);
    return changes;
  }

  // showLength shows what the length of the result comes from.
  async #showLength() {
    this.showTab("template", true);
    await this.tools.traced;
    const table = this.pane.querySelector(".sizes");
    table?.scrollIntoView({ block: "nearest" });
    table?.focus({ preventScroll: true });
  }

  // drawNotices shows what is wrong with the prompt as a whole.
  drawNotices() {
    const errors = fileErrors.filter((e) => promptOf(e) === this.name);
    const cases = tests.of(this.name);
    const failing = cases.filter((c) => c.failures.length > 0);
    replace(this.notices,
      this.isGone && h("p", { class: "notice warning", role: "status" }, this.movedTo
        ? ["This prompt is now ", h("button", { type: "button", class: "link", onclick: () => { typed.set(this.movedTo, typed.get(this.name)); choose(this.movedTo, { focus: true }); } }, this.movedTo), "."]
        : "This prompt was removed on the server. What you typed is kept, in case it returns."),
      failing.length > 0 && h("div", { class: "notice error", role: "status" },
        h("p", {}, inWords(failing.length, cases.length)),
        h("ul", {}, failing.slice(0, fewErrors).map((c) => h("li", {}, h("button", { type: "button", class: "link", onclick: () => this.tools?.showCase(c.name) }, c.name), `: ${c.failures[0].message}`))),
        h("p", { class: "more" }, h("a", { href: testsLink }, "All tests"))),
      errors.length > 0 && h("div", { class: "notice error", role: "status" },
        h("p", {}, "The file has errors, so the server still serves the last valid version."),
        h("ul", {}, errors.map((e) => h("li", {}, fileLink(e), " ", withHint(e))))));
  }

  leave() {
    this.#remember();
    this.stop();
    this.tools?.leave();
  }
}

// promptOf returns the name of the prompt that a file most likely has.
function promptOf(error) {
  const path = error.path.replace(/\.(md|markdown)$/i, "");
  if (entries.has(path)) return path;
  const folder = /(?:^|\/)([^/]+)\/SKILL$/.exec(path)?.[1];
  return folder && entries.has(folder) ? folder : null;
}

// inWordsOf returns an error of the server in words for an author. The tab JSON has its code.
function inWordsOf({ code, message, data }) {
  if (code === -32603) return { title: "The prompt failed", text: message, more: "The server's log has the reason." };
  if (code !== -32602) return { title: `The server answered with the error ${code}`, text: message };
  if (data?.problems) return { title: "The arguments are not valid", text: message };
  return { title: "The server cannot give this prompt", text: message };
}

const place = (e) => e.path + (e.line ? `:${e.line}` : "") + (e.column ? `:${e.column}` : "");

// fileLink returns the place of an error, which opens the file in an editor.
const fileLink = (e) => h(e.root ? "a" : "span", { href: editorURL(e.root, e.path, e.line, e.column), class: "file" }, h("code", {}, place(e)));

// choose opens a prompt.
function choose(name, { focus = false, values, isLink = false } = {}) {
  const entry = entries.get(name);
  document.body.dataset.view = "prompt";
  if (!entry) {
    open?.leave();
    open = null;
    replace(main, h("p", { class: "empty" }, "There is no prompt ", h("code", {}, name), "."));
    return;
  }
  marks.delete(name);
  list.select(name);
  drawMarks();
  if (open?.name === name && !values) {
    if (focus) open.focus();
    return;
  }
  open?.leave();
  open = new PromptView(entry);
  if (values) open.restore(values);
  if (!isLink) writeLink({ isNew: true });
  main.scrollTop = 0;
  // What a link from elsewhere names is not rendered: that is for the user to do.
  const mayRender = isLink ? history.state?.isRendered === true : !open.hasRequired;
  if (mayRender) open.render();
  open.begun = open.begin({ mayFill: !values || Object.keys(values).length === 0 });
  if (focus) open.focus();
  else if (document.activeElement === document.body) main.querySelector("h2").focus(); // of what had the focus, nothing is left
}

const maxLink = 8000; // characters

// writeLink puts the prompt and its arguments into the fragment of the address, but
// for sensitive ones.
function writeLink({ isNew = false } = {}) {
  if (!open) return;
  const values = open.arguments();
  for (const name of open.sensitive) delete values[name];
  let link = linkTo(open.name);
  const query = new URLSearchParams(values).toString();
  if (query && query.length <= maxLink) link += "?" + query;
  if (isNew) history.pushState({}, "", link);
  else history.replaceState(history.state, "", link);
}

const testsLink = "#tests";

// showTests shows the table of all cases.
function showTests() {
  document.body.dataset.view = "prompt";
  open?.leave();
  open = null;
  list.select(undefined);
  replace(main, tests.element());
  main.setAttribute("aria-label", "Tests");
  document.title = visible(`Tests · ${$("server").textContent}`);
  main.scrollTop = 0;
  main.querySelector("h2").focus();
}

// readLink opens what the fragment of the address names.
function readLink() {
  if (isAuthor && location.hash === testsLink) return showTests();
  if (!location.hash.startsWith("#/")) {
    document.body.dataset.view = "list";
    return;
  }
  const [path, query] = location.hash.slice(2).split(/\?(.*)/s);
  let name;
  try {
    name = decodeURIComponent(path);
  } catch {
    name = path;
  }
  choose(name, { values: Object.fromEntries(new URLSearchParams(query || "")), isLink: true });
}

// load reads the list, and updates the page to it.
let loading = null;
let isDirty = false;
async function load() {
  if (loading) {
    isDirty = true;
    return loading;
  }
  loading = (async () => {
    do {
      isDirty = false;
      await loadOnce();
    } while (isDirty);
  })();
  try {
    await loading;
  } finally {
    loading = null;
  }
}

async function loadOnce() {
  const isFirst = !isListed;
  const next = new Map();
  const all = [];
  let drawn = -Infinity;
  let release = {};
  for await (const { prompts: page, _meta } of listPrompts()) {
    release = _meta;
    for (const p of page) {
      if (!next.has(p.name)) all.push(searchable(p));
      next.set(p.name, p);
    }
    if (isFirst) {
      entries = next;
      if (performance.now() - drawn > 200) {
        list.set(all, false);
        drawn = performance.now();
      }
      if (all.length === page.length) performance.mark("first-prompts");
      if (!open && location.hash.startsWith("#/") && next.has(decodeURIComponentSafe(location.hash.slice(2).split("?")[0]))) readLink();
    }
  }
  if (isListed) {
    if (open && !next.has(open.name) && !open.isGone) open.movedTo = movedTo(open.entry, [...next.values()].filter((p) => !entries.has(p.name)));
    for (const [name, p] of next) {
      const old = entries.get(name);
      if (!old) marks.set(name, "new");
      else if (JSON.stringify(old) !== JSON.stringify(p) && name !== open?.name) marks.set(name, "changed");
    }
  }
  entries = next;
  served = release;
  isListed = true;
  list.set(all, true);
  if (isAuthor) await ask("files", {}).then((paths) => list.place(paths), () => {}); // without it, the tree is that of the names
  drawMarks();
  open?.update(entries.get(open.name) ?? null);
  if (isFirst) performance.mark("all-prompts");
  document.documentElement.dataset.ready = "true";
}

function decodeURIComponentSafe(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// movedTo returns the name of the only new prompt that is declared as one that is gone.
function movedTo(gone, added) {
  const declared = (p) => JSON.stringify([p.title, p.description, p.arguments]);
  const same = added.filter((p) => declared(p) === declared(gone));
  return same.length === 1 ? same[0].name : undefined;
}

function drawMarks() {
  const all = new Map([...marks].map(([name, mark]) => [name, { kind: mark, text: mark }]));
  for (const [name, n] of tests.failing) all.set(name, { kind: "error", text: `${n} ${n === 1 ? "fails" : "fail"}` });
  for (const e of fileErrors) {
    const name = promptOf(e);
    if (name) all.set(name, { kind: "error", text: "error" });
  }
  list.mark(all);
}

// withHint returns the message of an error with the fix, if one is known.
const withHint = (e) => e.hint ? `${e.message}; ${e.hint}` : e.message;

// drawErrors shows the errors of files: many are folded, unless the user unfolds them.
const fewErrors = 3;
$("file-errors-title").addEventListener("click", () => { $("file-errors").dataset.isChosen = "true"; });
function drawErrors() {
  const errors = $("file-errors");
  errors.hidden = fileErrors.length === 0;
  if (!errors.dataset.isChosen) errors.open = fileErrors.length <= fewErrors;
  $("file-errors-title").textContent = `${plural(fileErrors.length, "error")} in files`;
  replace(errors.querySelector("ul"), fileErrors.slice(0, 100).map((e) => {
    const name = promptOf(e);
    return h("li", {}, fileLink(e), " ", name ? h("button", { type: "button", class: "plain", onclick: () => choose(name, { focus: true }) }, withHint(e)) : withHint(e));
  }));
  open?.drawNotices();
  drawMarks();
}

function setStatus(state, text) {
  const status = $("status");
  if (status.dataset.state !== state) announce(text);
  status.dataset.state = state;
  status.textContent = text;
}

// While the page can be seen, it hears of changes. If the server goes away, the page
// says so until the server is back.
let hearing = null;
const showPage = connect(async (event) => {
  if (event === "change") {
    const view = open;
    const before = view?.lastResult?.messages;
    const rendering = view?.exchange && view.render({ isChange: true });
    // The result before the list: reading the list of many prompts takes a while.
    await Promise.race([rendering, new Promise((resolve) => { setTimeout(resolve, 100); })]);
    await load().catch(() => {});
    await rendering;
    view?.saved(before);
  } else if (event === "open") {
    setStatus("live", "Live");
    const isReturn = isListed;
    await begin();
    if (isReturn && open?.exchange) open.render({ isChange: true });
  } else if (event === "off") {
    setStatus("off", "No live updates"); // the server has none
    while (!isListed && !document.hidden) {
      await begin();
      if (!isListed) await new Promise((resolve) => { setTimeout(resolve, 1000); });
    }
  } else setStatus("lost", "The server does not answer. Trying again …");
});

// begin reads the list, and at first opens what the address names.
async function begin() {
  const isFirst = !isListed;
  if (isFirst) nameServer();
  await load().catch(() => {});
  if (isFirst && !open) readLink();
  // An author sees a prompt at once, beside the list if there is room.
  if (isFirst && isAuthor && !open && location.hash === "" && innerWidth > 760 && list.first() !== undefined) choose(list.first(), { values: {}, isLink: true });
}

function start() {
  hearing = new AbortController();
  showPage(true);
  hear(hearing.signal);
}

async function nameServer() {
  try {
    const { serverInfo, _meta } = await discover();
    const info = serverInfo || _meta?.["io.modelcontextprotocol/serverInfo"] || {};
    replace($("server"), info.title || info.name || "Prompts");
    $("server").title = $("server").textContent; // which a small window cuts
    if (!open) document.title = $("server").textContent;
  } catch { /* it stays without a name */ }
}

// hear asks for the errors of files and the names of prompts that files have changed,
// for as long as the page can be seen.
const hearPause = 400; // ms
let reportNumber = 0;
async function hear(signal) {
  while (!signal.aborted) {
    try {
      const response = await fetch(`reports?since=${reportNumber}`, { signal, cache: "no-store" });
      if (response.status === 200) {
        const report = await response.json();
        reportNumber = report.number;
        fileErrors = report.errors;
        setEditor(report.editor);
        for (const name of report.changed) {
          if (name !== open?.name) marks.set(name, marks.get(name) || "changed");
        }
        drawErrors();
        if (isAuthor) tests.run();
      }
    } catch { /* follow says that the server does not answer */ }
    await new Promise((resolve) => { setTimeout(resolve, hearPause); });
  }
}

document.addEventListener("visibilitychange", () => {
  if (document.hidden) {
    hearing?.abort();
    showPage(false);
  } else start();
});

// An author who comes back from the editor may have changed a test file, which is no change
// for clients.
addEventListener("focus", () => {
  open?.saved(open.lastResult?.messages);
  if (isAuthor && isListed) tests.run();
});
addEventListener("popstate", readLink); // also of a link to a fragment

// Keys that work everywhere.
addEventListener("keydown", (e) => {
  const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName);
  if ((e.key === "k" && (e.ctrlKey || e.metaKey)) || (e.key === "/" && !isTyping && !e.ctrlKey && !e.metaKey && !e.altKey)) {
    e.preventDefault();
    document.body.dataset.view = "list";
    $("search").focus();
    $("search").select();
  } else if (e.key === "?" && !isTyping) {
    $("help").showModal();
  } else if (e.key === "Enter" && (e.ctrlKey || e.metaKey) && open) {
    const questions = open.pane.querySelector("form.questions");
    e.preventDefault();
    (questions?.contains(document.activeElement) ? questions : open.form).requestSubmit();
  }
});

$("tests-open").hidden = !isAuthor;
$("tests-open").addEventListener("click", () => {
  if (location.hash !== testsLink) history.pushState({}, "", testsLink);
  showTests();
});
$("help-open").addEventListener("click", () => $("help").showModal());
$("back").addEventListener("click", () => {
  document.body.dataset.view = "list";
  $("search").focus();
});

const themes = ["system", "light", "dark"];
function setTheme(theme) {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  $("theme").textContent = `Theme: ${theme}`;
  try {
    localStorage.setItem("promptpreview.theme", theme);
  } catch { /* it lasts as long as the page */ }
}
$("theme").addEventListener("click", () => setTheme(themes[(themes.indexOf(document.documentElement.dataset.theme || "system") + 1) % themes.length]));
try {
  const theme = localStorage.getItem("promptpreview.theme");
  if (themes.includes(theme)) setTheme(theme);
} catch { /* the system's */ }

document.body.dataset.view = location.hash.startsWith("#/") || location.hash === testsLink ? "prompt" : "list";
replace(main, h("div", { class: "empty" }, h("p", {}, "Choose a prompt."), h("p", {}, h("kbd", {}, "/"), " searches, ", h("kbd", {}, "Enter"), " opens, ", h("kbd", {}, "Ctrl"), " ", h("kbd", {}, "Enter"), " renders.")));
if (!document.hidden) start();
const markdownIsLoaded = loadMarkdown().catch(() => {}); // without it texts are shown plain
$("search").focus(); // which a small window hides beside a prompt
