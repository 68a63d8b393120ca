// Forms for the arguments of a prompt and for the questions of a server, made of
// JSON schemas.

import { choicesOf, fewChoices, Field, limitsOf, textOf, typeOf } from "./field.js";
import { hasMembers, StructuredField } from "./members.js";

// argumentFields returns the fields for the arguments of a prompt. With the schemas
// of the arguments they are of the right kind, without they are texts.
export function argumentFields(prompt, complete) {
  const schemas = prompt._meta?.["io.github.mcp-prompts/inputSchema"]?.properties || {};
  return (prompt.arguments || []).map((a) => {
    const schema = Object.hasOwn(schemas, a.name) && schemas[a.name] !== true ? schemas[a.name] : {};
    const own = schema.description || "";
    const all = a.description || "";
    const isHinted = Object.hasOwn(schemas, a.name) && all.startsWith(own);
    const hint = isHinted ? unsaid(all.slice(own.length).trim().replace(/^\((.*)\)$/s, "$1"), schema) : "";
    const isNested = hasMembers(schema);
    return new (isNested ? StructuredField : Field)({
      name: a.name, title: a.title, description: isHinted ? own : all, hint: isNested ? "" : hint, schema, required: a.required === true, isLong: true,
      canBeEmpty: schema.minLength === 0 || (schema.default ?? "") !== "" && !(schema.minLength > 0),
      complete: (value, signal) => complete(a.name, value, signal),
    });
  });
}

// unsaid returns what the field does not say by itself of a hint such as
// "one of: go, python; default go".
function unsaid(hint, schema) {
  const values = choicesOf(schema) || choicesOf(schema.items);
  const isChosen = typeOf(schema) === "boolean" || (values && values.length <= fewChoices);
  return hint.split("; ").filter((part) => part !== "sensitive" && !(isChosen && /^(one of: |each one of: |true or false$|separated by commas|default )/.test(part)))
    .concat(isChosen && typeOf(schema) === "array" && Array.isArray(schema.default) ? [`default: ${schema.default.join(", ")}`] : []).join("; ");
}

// questionFields returns the fields for the form of a question.
export function questionFields(schema) {
  const required = schema?.required || [];
  return Object.entries(schema?.properties || {}).map(([name, s]) => {
    const field = new Field({ name, title: s.title, description: s.description, hint: limitsOf(s), schema: s, required: required.includes(name), isLong: false });
    if (s.default !== undefined) field.set(textOf(s.default));
    return field;
  });
}
