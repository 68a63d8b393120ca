// A field of a form, made of a JSON schema, and its suggestions.

import { announce, h, newID, plural, replace, visible } from "./dom.js";

export const fewChoices = 12;

// choicesOf returns the values of an enum, each with a label; null for no enum.
export function choicesOf(schema) {
  const titled = schema?.oneOf || schema?.anyOf;
  if (Array.isArray(titled) && titled.length > 0 && titled.every((o) => o && "const" in o)) {
    return titled.map((o) => ({ value: textOf(o.const), label: o.title || textOf(o.const) }));
  }
  if (!Array.isArray(schema?.enum)) return null;
  return schema.enum.map((v, i) => ({ value: textOf(v), label: schema.enumNames?.[i] ?? textOf(v) }));
}

// textOf returns a JSON value as a client sends it for an argument.
export const textOf = (value) => (typeof value === "string" ? value : JSON.stringify(value));

export const typeOf = (schema) => [schema?.type, schema?.types].flat().find((t) => t && t !== "null");

// elements returns the elements of a list in a text.
export function elements(text) {
  if (text.trim() === "") return [];
  if (text.trimStart().startsWith("[")) {
    try {
      return JSON.parse(text).map(textOf);
    } catch {
      return [];
    }
  }
  return text.split(",").map((e) => e.trim());
}

// stepsOf returns the parts of a JSON Pointer.
export const stepsOf = (pointer) => pointer.split("/").slice(1).map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));

// placeOf returns a place as the subject of a message; "" for the value itself.
export const placeOf = (name, steps) => (steps.length > 0 ? `${name}${steps.map((s) => (/^\d+$/.test(s) ? `[${s}]` : `.${s}`)).join("")} ` : "");

// limitsOf says what a value may be.
export function limitsOf(s) {
  const hints = [];
  if (s.minimum !== undefined || s.maximum !== undefined) hints.push(`${s.minimum ?? "…"} to ${s.maximum ?? "…"}`);
  if (s.minLength !== undefined) hints.push(`at least ${plural(s.minLength, "character")}`);
  if (s.maxLength !== undefined) hints.push(`at most ${plural(s.maxLength, "character")}`);
  if (s.minItems !== undefined) hints.push(`at least ${s.minItems}`);
  if (s.maxItems !== undefined) hints.push(`at most ${s.maxItems}`);
  if (s.format) hints.push(s.format);
  return hints.join(", ");
}

// Field is one field of a form. Its value is a text. The empty text is no value, but for
// the box "Send an empty text" and a choice of the schema.
export class Field {
  constructor({ name, shown = name, title, description, hint, schema = {}, required, isLong, complete, canBeEmpty = false }) {
    Object.assign(this, { name, schema, required, sensitive: schema.writeOnly === true });
    this.type = typeOf(schema);
    this.id = newID("field");
    const describedBy = `${this.id}-help ${this.id}-error`;
    const common = { id: this.id, name, "aria-describedby": describedBy, "aria-required": required ? "true" : null };
    const choices = choicesOf(schema);
    const items = this.type === "array" ? choicesOf(schema.items) : null;
    if (items && items.length <= fewChoices) this.#boxes(items);
    else if (this.type === "boolean") this.#select([{ value: "true", label: "true" }, { value: "false", label: "false" }], common);
    else if (choices && choices.length <= fewChoices && this.type !== "array") this.#select(choices, common);
    else this.#input(common, isLong, complete);
    if (canBeEmpty && !choices && (this.type === "string" || this.type === undefined)) this.#emptyBox();

    const isGroup = this.element !== undefined;
    const marks = [
      title && title !== shown ? h("code", { class: "field-name" }, shown) : null,
      required ? h("span", { class: "required" }, "required") : null,
      this.sensitive ? h("span", { class: "badge" }, "sensitive") : null,
    ];
    const label = isGroup
      ? h("legend", {}, title || shown, " ", marks)
      : h("label", { for: this.id }, title || shown, " ", marks);
    this.error = h("p", { class: "field-error", id: `${this.id}-error` });
    const help = h("p", { class: "field-help", id: `${this.id}-help` }, description, description && hint ? " · " : null, hint && h("span", { class: "hint" }, hint));
    if (isGroup) {
      this.element.prepend(label);
      this.element.setAttribute("aria-describedby", describedBy);
      this.element.append(help, this.error);
    } else {
      this.element = h("div", { class: "field" }, label, help, this.control, this.emptyBox, this.error);
    }
    this.element.dataset.field = visible(name);
    this.errors = [];
  }

  #select(choices, common) {
    const isDefault = this.schema.default !== undefined ? `default: ${textOf(this.schema.default)}` : "–";
    const input = h("select", common, h("option", { value: "" }, isDefault), choices.map((c) => {
      const option = h("option", {}, c.label || "(empty text)");
      option.value = c.value;
      return option;
    }));
    this.control = this.input = input;
    this.get = () => input.value;
    this.isGiven = () => input.selectedIndex > 0;
    this.set = (text) => {
      let i = [...input.options].findIndex((o, n) => n > 0 && o.value === text);
      if (i < 0 && text !== "") {
        const option = h("option", {}, text); // of a link, or of an older declaration
        option.value = text;
        input.append(option);
        i = input.options.length - 1;
      }
      input.selectedIndex = Math.max(i, 0);
    };
  }

  #boxes(choices) {
    const boxes = choices.map((c) => ({ value: c.value, label: c.label, input: h("input", { type: "checkbox", id: newID("box") }) }));
    this.element = h("fieldset", { class: "field" }, h("div", { class: "boxes" }, boxes.map((b) => h("span", { class: "box" }, b.input, h("label", { for: b.input.id }, b.label)))));
    this.input = boxes[0]?.input ?? this.element;
    let others = []; // elements that are no choice, of a link or an older declaration
    this.get = () => {
      const all = [...boxes.filter((b) => b.input.checked).map((b) => b.value), ...others];
      return all.length > 0 ? JSON.stringify(all) : "";
    };
    this.set = (text) => {
      const wanted = elements(text);
      for (const b of boxes) b.input.checked = wanted.includes(b.value);
      others = wanted.filter((w) => !boxes.some((b) => b.value === w));
    };
  }

  #input(common, isLong, complete) {
    const { schema } = this;
    const isText = this.type === "string" || this.type === undefined;
    const isJSON = this.type === "object";
    const isShort = this.sensitive || (!isText && !isJSON) || schema.pattern || schema.format || schema.enum || schema.maxLength <= 256 || (isText && !isLong);
    const example = schema.examples?.[0] ?? schema.default;
    const placeholder = example !== undefined && !this.sensitive ? textOf(example).slice(0, 200) : null;
    const more = { ...common, placeholder, autocomplete: "off", spellcheck: isText && isLong ? "true" : "false", class: isText ? null : "mono" };
    const isNumber = this.type === "integer" || this.type === "number";
    this.input = isShort
      ? h("input", { ...more, type: this.sensitive ? "password" : "text", inputmode: isNumber ? "decimal" : null })
      : h("textarea", { ...more, rows: "1" });
    this.control = this.input;
    if (complete && !this.sensitive) {
      const popup = new Suggestions(this.input, complete);
      this.control = h("div", { class: "completed" }, this.input, popup.list);
    }
    this.get = () => this.input.value;
    this.set = (text) => { this.input.value = text; };
  }

  // emptyBox adds a box that sends the empty text. It is shown while the field is empty.
  #emptyBox() {
    const box = h("input", { type: "checkbox", id: newID("box") });
    this.emptyBox = h("p", { class: "box empty-box" }, box, h("label", { for: box.id }, "Send an empty text"));
    const { set } = this;
    const show = () => { this.emptyBox.hidden = this.get() !== ""; };
    for (const event of ["input", "change"]) this.input.addEventListener(event, show);
    this.isGiven = () => this.get() !== "" || box.checked;
    this.set = (text) => {
      set(text);
      box.checked = text === "";
      show();
    };
    show();
  }

  // isGiven reports whether the field has a value.
  isGiven() {
    return this.get() !== "";
  }

  // fail shows an error of the server, which is about the place inside of the value that
  // the steps lead to. It returns the field.
  fail(message, steps = []) {
    this.setError([...this.errors, placeOf(this.name, steps) + message].join("\n"));
    return this;
  }

  clear() {
    this.setError("");
  }

  get hasFailed() {
    return this.errors.length > 0;
  }

  // setError shows an error at the field, and none for the empty text.
  setError(text) {
    this.errors = text === "" ? [] : text.split("\n");
    this.element.classList.toggle("has-error", text !== "");
    this.element.querySelectorAll("input, select, textarea").forEach((e) => {
      if (text !== "") e.setAttribute("aria-invalid", "true");
      else e.removeAttribute("aria-invalid");
    });
    replace(this.error, text);
  }

  focus() {
    this.input.focus();
  }

  // json returns the value as typed JSON, for the answer to a question.
  json() {
    const text = this.get();
    if (this.type === "boolean") return text === "true";
    if ((this.type === "integer" || this.type === "number") && text.trim() !== "" && Number.isFinite(Number(text))) return Number(text);
    if (this.type === "array") return elements(text);
    return text;
  }
}

// Suggestions completes a field while the user types.
class Suggestions {
  #values = [];
  #active = -1;
  #timer;
  #abort;

  constructor(input, complete) {
    this.input = input;
    this.complete = complete;
    this.list = h("ul", { class: "suggestions", id: newID("suggestions"), role: "listbox", "aria-label": "Suggestions", hidden: true });
    const isTextarea = input.tagName === "TEXTAREA"; // which must not have the role
    input.setAttribute("aria-autocomplete", "list");
    input.setAttribute("aria-controls", this.list.id);
    if (!isTextarea) {
      input.setAttribute("role", "combobox");
      input.setAttribute("aria-expanded", "false");
    }
    input.addEventListener("input", () => this.#ask());
    input.addEventListener("focus", () => this.#ask());
    input.addEventListener("blur", () => this.#close());
    input.addEventListener("keydown", (e) => this.#key(e));
    this.list.addEventListener("mousedown", (e) => {
      e.preventDefault(); // the field keeps the focus
      const option = e.target.closest("[role=option]");
      if (option) this.#take(Number(option.dataset.index));
    });
  }

  #ask() {
    clearTimeout(this.#timer);
    this.#abort?.abort();
    const value = this.input.value;
    if (value.length > 256 || value.includes("\n")) return this.#close();
    this.#timer = setTimeout(async () => {
      const { signal } = (this.#abort = new AbortController());
      try {
        const { values } = await this.complete(value, signal);
        if (document.activeElement !== this.input || this.input.value !== value) return;
        this.#values = values.filter((v) => v !== value).slice(0, 50);
        this.#active = -1;
        this.#draw();
      } catch {
        if (signal.aborted) return; // a later key asks for others
        this.#close(); // completion is a help; what is wrong is said when the prompt is rendered
      }
    }, 60);
  }

  #close() {
    clearTimeout(this.#timer);
    this.#abort?.abort();
    this.#values = [];
    this.#active = -1;
    this.#draw();
  }

  #draw() {
    const isOpen = this.#values.length > 0;
    if (isOpen && this.list.hidden) announce(plural(this.#values.length, "suggestion"));
    this.list.hidden = !isOpen;
    if (this.input.hasAttribute("role")) this.input.setAttribute("aria-expanded", String(isOpen));
    replace(this.list, this.#values.map((v, i) => h("li", {
      role: "option", id: `${this.list.id}-${i}`, "data-index": String(i), "aria-selected": String(i === this.#active), class: i === this.#active ? "active" : null,
    }, v.length > 200 ? v.slice(0, 200) + "…" : v)));
    if (this.#active < 0) this.input.removeAttribute("aria-activedescendant");
    else {
      this.input.setAttribute("aria-activedescendant", `${this.list.id}-${this.#active}`);
      this.list.children[this.#active].scrollIntoView({ block: "nearest" });
    }
  }

  #take(i) {
    this.input.value = this.#values[i];
    this.#close();
    this.input.dispatchEvent(new Event("change", { bubbles: true }));
  }

  #key(e) {
    if (this.#values.length === 0 || e.ctrlKey || e.metaKey) return;
    const n = this.#values.length;
    if (e.key === "ArrowDown" || e.key === "ArrowUp") {
      const step = e.key === "ArrowDown" ? 1 : -1;
      this.#active = this.#active < 0 && step < 0 ? n - 1 : (this.#active + step + n) % n;
      this.#draw();
    } else if ((e.key === "Enter" || e.key === "Tab") && this.#active >= 0) {
      this.#take(this.#active);
      if (e.key === "Tab") return; // and go on
    } else if (e.key === "Escape") this.#close();
    else return;
    e.preventDefault();
    e.stopPropagation();
  }
}
