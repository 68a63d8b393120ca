// The form of an argument with structure: a field for each member, whose values make the
// JSON text of the argument. A switch shows the text itself.

import { h, newID, replace } from "./dom.js";
import { choicesOf, elements, Field, limitsOf, placeOf, stepsOf, textOf, typeOf } from "./field.js";

const maxMembers = 64; // of an argument
const maxDepth = 4;

// parse keeps all digits of numbers, if the browser can.
const number = JSON.rawJSON ?? Number;
const parse = (text) => JSON.parse(text, (_, value, context) => (typeof value === "number" && context?.source ? number(context.source) : value));

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value) && !JSON.isRawJSON?.(value);

// canonical returns the same text for values that differ only in the order of members.
const canonical = (value) => JSON.stringify(value, (_, v) => (isObject(v) ? Object.fromEntries(Object.entries(v).sort(([a], [b]) => (a < b ? -1 : 1))) : v));

// kinds are the ways to write a member in a field: as a simple value, as a list of such
// values, and as JSON.
const kinds = {
  value: { read: typed, write: (_, value) => textOf(value) },
  list: {
    read(schema, text) {
      if (!text.trimStart().startsWith("[")) return elements(text).map((e) => typed(schema.items, e));
      const list = kinds.json.read(schema, text);
      return Array.isArray(list) ? list.map((e) => (typeof e === "string" ? typed(schema.items, e) : e)) : list;
    },
    write(schema, value) {
      const text = Array.isArray(value) ? value.map(textOf).join(", ") : "";
      return text !== "" && canonical(kinds.list.read(schema, text)) === canonical(value) ? text : JSON.stringify(value);
    },
  },
  json: {
    read(_, text) {
      try {
        return parse(text);
      } catch {
        return text;
      }
    },
    write: (_, value) => JSON.stringify(value),
  },
};

// typed returns the value of a text by a schema. A text that is no value of the type
// remains a text, for the server to reject.
function typed(schema, text) {
  const choices = schema.enum ?? (choicesOf(schema) && (schema.oneOf || schema.anyOf).map((o) => o.const));
  const choice = choices?.find((value) => textOf(value) === text);
  if (choice !== undefined) return choice;
  const type = typeOf(schema);
  if (type === "boolean" && /^(true|false)$/.test(text)) return text === "true";
  if ((type === "integer" || type === "number") && /^\s*-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?\s*$/.test(text)) return number(text.trim());
  return text;
}

// kindOf returns the kind of a schema, or "group" for an object with known members.
function kindOf(schema) {
  if (choicesOf(schema)) return "value";
  const types = [schema.type].flat().filter((t) => t && t !== "null");
  if (types.length !== 1 || ["anyOf", "oneOf", "allOf", "if"].some((k) => k in schema)) return "json";
  if (types[0] === "array") return isObject(schema.items) && kindOf(schema.items) === "value" ? "list" : "json";
  if (types[0] !== "object") return "value";
  return Object.keys(schema.properties || {}).length > 0 ? "group" : "json";
}

// resolve returns the schema that references lead to, and the references. A schema that
// refers to one around it is {}.
function resolve(schema, root, refs) {
  while (typeof schema?.$ref === "string") {
    const { $ref, ...own } = schema;
    if (!$ref.startsWith("#/") || refs.includes($ref)) return [{}, refs];
    let target = root;
    for (const step of stepsOf($ref.slice(1))) target = Object.hasOwn(Object(target), step) ? target[step] : undefined;
    refs = [...refs, $ref];
    schema = { ...target, ...own };
  }
  return [isObject(schema) ? schema : {}, refs];
}

// Leaf is the field of a member without members.
class Leaf extends Field {
  constructor(options, kind) {
    // The text of JSON is typed as that of an argument that is an object.
    super({ ...options, schema: kind === "json" ? { ...options.schema, type: "object" } : options.schema });
    this.kind = kinds[kind];
  }

  value() {
    return this.isGiven() ? this.kind.read(this.schema, this.get()) : undefined;
  }

  fill(value) {
    this.set(value === undefined ? "" : this.kind.write(this.schema, value));
  }
}

// Group has the fields of the members of an object.
class Group {
  #error = h("p", { class: "field-error", id: newID("error") });

  constructor({ name, shown = name, title, description, hint, schema, required }, around) {
    Object.assign(this, { name, required, sensitive: false });
    const properties = Object.entries(schema.properties).filter(([, s]) => s !== false);
    around.count.left -= properties.length;
    this.parts = new Map(properties.map(([member, s]) => [member, partOf(`${name}.${member}`, member, s, (schema.required || []).includes(member), around)]));
    this.body = h("div", {}, [...this.parts.values()].map((p) => p.element));
    const help = h("p", { class: "field-help", id: newID("help") }, [description, hint].filter(Boolean).join(" · "));
    this.element = h("fieldset", { class: "field group", "aria-describedby": `${help.id} ${this.#error.id}`, "data-field": name },
      h("legend", {}, title || shown, " ", title && title !== shown && h("code", { class: "field-name" }, shown), required && h("span", { class: "required" }, "required")),
      help, this.#error, this.body);
  }

  // value returns the object with the members that are given; undefined for none.
  value() {
    const given = [...this.parts].map(([member, part]) => [member, part.value()]).filter(([, value]) => value !== undefined);
    return given.length > 0 ? Object.fromEntries(given) : undefined;
  }

  fill(value) {
    for (const [member, part] of this.parts) part.fill(isObject(value) && Object.hasOwn(value, member) ? value[member] : undefined);
  }

  // fail shows an error at the member that the steps lead to, and returns its field.
  fail(message, steps) {
    const part = this.parts.get(steps[0]);
    if (part) return part.fail(message, steps.slice(1));
    replace(this.#error, [this.#error.textContent, placeOf(this.name, steps) + message].filter(Boolean).join("\n"));
    return this;
  }

  clear() {
    for (const part of this.parts.values()) part.clear();
    replace(this.#error);
  }

  get hasFailed() {
    return this.#error.textContent !== "" || [...this.parts.values()].some((p) => p.hasFailed);
  }

  focus() {
    this.parts.values().next().value?.focus();
  }
}

// partOf returns the fields of a member.
function partOf(name, shown, own, required, around) {
  const [schema, refs] = resolve(own, around.root, around.refs);
  let kind = kindOf(schema);
  const hasRoom = around.depth < maxDepth && Object.keys(schema.properties || {}).length <= around.count.left;
  if (kind === "group" && !hasRoom) kind = "json";
  const options = { name, shown, title: schema.title, description: schema.description, schema, required, isLong: true };
  if (kind === "group") return new Group(options, { ...around, refs, depth: around.depth + 1 });
  const isTextList = kind === "list" && (choicesOf(schema.items)?.length ?? Infinity) > 12;
  const choices = choicesOf(kind === "list" ? schema.items : schema)?.map((c) => c.value);
  return new Leaf({
    ...options,
    hint: [kind === "json" && "JSON", isTextList && "separated by commas", limitsOf(schema), schema.pattern && `matching ${schema.pattern}`].filter(Boolean).join(", "),
    complete: choices && kind === "value" && (async (text) => ({ values: choices.filter((c) => c.startsWith(text)) })),
  }, kind);
}

// objectOf returns the schema of an argument whose members get fields; null for others.
function objectOf(schema) {
  const [object] = resolve(schema, schema, []);
  return schema.writeOnly !== true && kindOf(object) === "group" && Object.keys(object.properties).length <= maxMembers ? object : null;
}

// hasMembers reports whether an argument with the schema gets a field for each member.
export const hasMembers = (schema) => objectOf(schema) !== null;

// StructuredField is the field of an argument with members. Its value is the JSON text.
export class StructuredField extends Group {
  #problems = []; // of the server
  #failedWith;

  constructor({ name, title, description, schema, required, complete }) {
    super({ name, title, description, hint: schema.default !== undefined && `default: ${JSON.stringify(schema.default)}`, schema: objectOf(schema), required },
      { root: schema, refs: [], depth: 1, count: { left: maxMembers } });
    this.json = new Field({ name, shown: `${name} as JSON`, schema: { type: "object", examples: schema.examples }, required, complete });
    delete this.json.element.dataset.field; // which this.element has
    this.box = h("input", { type: "checkbox", id: newID("box"), onchange: () => this.#switch() });
    this.element.append(this.json.element, h("p", { class: "box as-json" }, this.box, h("label", { for: this.box.id }, "as JSON")));
    this.#show(false);
  }

  get isJSON() {
    return this.box.checked;
  }

  get() {
    if (this.isJSON) return this.json.get();
    const value = this.value();
    return value === undefined ? "" : JSON.stringify(value);
  }

  isGiven() {
    return this.get() !== "";
  }

  // set sets the value, as JSON if the fields of the members cannot have it.
  set(text, { asJSON = false } = {}) {
    this.json.set(text);
    this.#show(!this.#read(text) || asJSON);
  }

  fail(message, steps) {
    this.#problems.push([message, steps]);
    this.#failedWith = this.get();
    return this.isJSON ? this.json.fail(message, steps) : super.fail(message, steps);
  }

  clear() {
    this.#problems = [];
    super.clear();
    this.json.clear();
  }

  get hasFailed() {
    return super.hasFailed || this.json.hasFailed;
  }

  focus() {
    if (this.isJSON) this.json.focus();
    else super.focus();
  }

  // read sets the members, and reports whether they have the whole value.
  #read(text) {
    const value = text === "" ? undefined : kinds.json.read(null, text);
    this.fill(value);
    return canonical(this.value()) === canonical(value);
  }

  #show(isJSON) {
    this.box.checked = isJSON;
    this.body.hidden = isJSON;
    this.json.element.hidden = !isJSON;
  }

  // switch shows the other form of the value, with the errors of the server about it.
  #switch() {
    const problems = this.hasFailed ? this.#problems : [];
    const isJSON = this.isJSON;
    this.box.checked = !isJSON; // for get
    const text = this.get();
    this.set(text, { asJSON: isJSON });
    this.clear();
    if (text === this.#failedWith) for (const [message, steps] of problems) this.fail(message, steps);
    if (this.isJSON !== isJSON) this.json.fail("The fields cannot show this JSON.");
  }
}
