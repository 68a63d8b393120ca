// What the server has answered: the conversation, the JSON, and what known clients
// can show of it.

import { append, bytes, h, newID, plural, replace } from "./dom.js";

const maxMarkdown = 100_000; // characters; longer texts are shown plain and in parts
const maxPixels = 50_000_000;

let rich = { markdown: null, highlighted: null };

// loadMarkdown loads what makes Markdown and colors, which the page does not need to
// begin with.
export const loadMarkdown = () => import("./markdown.js").then((m) => { rich = m; });

const objectURLs = new Set();

// release gives back the memory of images and audio that are no longer shown.
function release() {
  for (const url of objectURLs) URL.revokeObjectURL(url);
  objectURLs.clear();
}

function objectURL(data, type) {
  const url = URL.createObjectURL(new Blob([data], { type }));
  objectURLs.add(url);
  return url;
}

function decode(base64) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  return Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
}

// conversation returns the messages of a result as elements. What was not in the
// messages before is marked as changed.
export function conversation(result, before) {
  release();
  counted = [];
  const list = h("ol", { class: "conversation", "aria-label": "Messages" });
  let changes = 0;
  result.messages.forEach((message, i) => {
    const old = before?.messages[i];
    const isChanged = before && JSON.stringify(old) !== JSON.stringify(message);
    const element = messageElement(message, i, isChanged ? old : null, isChanged);
    if (isChanged) changes++;
    list.append(element);
  });
  if (before && before.messages.length > result.messages.length) {
    changes += before.messages.length - result.messages.length;
    list.append(h("li", { class: "removed" }, `${plural(before.messages.length - result.messages.length, "message")} removed`));
  }
  return { element: list, changes };
}

// What is shown of the lengths of texts, each with the element for its tokens.
let counted = [];
let tokens = null;

// loadTokens loads what counts tokens, and returns its functions.
export async function loadTokens() {
  tokens ??= import("./tokens.js");
  return tokens;
}

const sum = (all) => all.reduce((n, m) => n + m, 0);

// lengths returns an element with the length of the whole conversation, and shows the
// tokens of each text and of all when they are counted. onLength, if not null, shows what
// the length comes from.
export function lengths(result, took, onLength) {
  const texts = result.messages.map(({ content: c }) => c.text ?? c.resource?.text).filter((t) => t !== undefined);
  const others = result.messages.length - texts.length;
  const say = (tokens) => {
    const length = tokens && (onLength ? h("button", { type: "button", class: "link", title: "What the length comes from", onclick: onLength }, tokens) : tokens);
    const all = [plural(result.messages.length, "message"), plural(sum(texts.map((t) => t.length)), "character"), length, others > 0 && texts.length > 0 && `${plural(others, "message")} without text not counted`, took].filter(Boolean);
    return all.map((part, i) => [i > 0 && " · ", h("span", {}, part)]);
  };
  const element = h("p", { class: "detail totals" }, say());
  const shown = counted;
  loadTokens().then(({ countTokens, tokenizer }) => {
    const counts = shown.map(({ text, element: e }) => {
      const n = countTokens(text);
      e.textContent = ` · ≈ ${plural(n, "token")}`;
      return n;
    });
    replace(element, say(`≈ ${plural(sum(counts), "token")} (${tokenizer})`));
    element.title = `Counted with the tokenizer ${tokenizer}. The tokenizers of other models count differently.`;
  }, () => {}); // the page goes without
  return element;
}

function messageElement(message, index, old, isChanged) {
  const { role, content } = message;
  const body = h("div", { class: "message-body" });
  const actions = h("div", { class: "message-actions" });
  const text = content.text ?? content.resource?.text;
  const tokensOf = h("span", {});
  if (text !== undefined) counted.push({ text, element: tokensOf });
  const badges = [h("span", { class: "kind" }, kindOf(content), tokensOf)];
  if (isChanged) badges.push(h("span", { class: "badge changed" }, old ? "changed" : "new"));
  for (const audience of content.annotations?.audience || []) badges.push(h("span", { class: "badge" }, `for ${audience}`));
  if (content.annotations?.priority !== undefined) badges.push(h("span", { class: "badge" }, `priority ${content.annotations.priority}`));
  contentElements(content, body, actions, old?.content);
  return h("li", { class: `message ${role === "assistant" ? "assistant" : "user"}` },
    h("article", { "aria-label": `Message ${index + 1} of ${role}` },
      h("header", {}, h("h3", {}, role === "assistant" ? "Assistant" : role === "user" ? "User" : role), badges, actions), body));
}

function kindOf(c) {
  switch (c.type) {
    case "text": return plural(c.text.length, "character");
    case "image": case "audio": return `${c.type}, ${c.mimeType}, ${bytes(sizeOf(c.data))}`;
    case "resource": return `resource, ${c.resource.mimeType || "no type"}, ${c.resource.blob !== undefined ? bytes(sizeOf(c.resource.blob)) : plural((c.resource.text || "").length, "character")}`;
    case "resource_link": return "resource link";
    default: return c.type;
  }
}

const sizeOf = (base64) => Math.floor((base64.length * 3) / 4) - (base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0);

function contentElements(content, body, actions, old) {
  switch (content.type) {
    case "text":
      return textElements(content.text, "markdown", body, actions, old?.type === "text" ? old.text : old ? "" : undefined);
    case "image":
      return append(body, [image(decode(content.data), content.mimeType)]);
    case "audio":
      return append(body, [audio(decode(content.data), content.mimeType)]);
    case "resource":
      return resource(content.resource, body, actions, old?.type === "resource" ? old.resource.text : undefined);
    case "resource_link":
      return append(body, [h("p", { class: "resource-uri" }, link(content.uri, content.title || content.name || content.uri)), h("p", { class: "detail" }, h("code", {}, content.uri), content.mimeType && ` ${content.mimeType}`, content.size !== undefined && `, ${bytes(content.size)}`), content.description && h("p", {}, content.description)]);
    default:
      return append(body, [h("pre", { tabindex: "0" }, JSON.stringify(content, null, 2).slice(0, maxMarkdown))]);
  }
}

// textElements shows a text as Markdown or code, with buttons to show it as it is
// and to copy it.
function textElements(text, form, body, actions, old) {
  actions.append(copyButton(text));
  if (text.length > maxMarkdown) return append(body, [inParts(text)]);
  const asWritten = () => plain(text, old);
  if (!rich.markdown) return append(body, [asWritten()]);
  const asForm = () => {
    if (form === "markdown") {
      const element = h("div", { class: "markdown" });
      element.append(rich.markdown(text));
      if (old !== undefined) markBlocks(element, old);
      return element;
    }
    const colored = old === undefined ? rich.highlighted(text, form) : null;
    return colored ? h("pre", { tabindex: "0" }, h("code", {}, colored)) : asWritten();
  };
  body.append(asForm());
  if (form !== "markdown") return;
  const toggle = h("button", { type: "button", class: "plain", "aria-pressed": "false", onclick() {
    const isPlain = toggle.getAttribute("aria-pressed") === "false";
    toggle.setAttribute("aria-pressed", String(isPlain));
    replace(body, isPlain ? asWritten() : asForm());
  } }, "Plain text");
  actions.prepend(toggle);
}

// markBlocks marks the blocks of Markdown that the old text does not have.
function markBlocks(element, old) {
  const before = h("div", {});
  if (old.length <= maxMarkdown) before.append(rich.markdown(old));
  const known = new Map();
  for (const block of blocks(before)) known.set(block.outerHTML, (known.get(block.outerHTML) || 0) + 1);
  for (const block of blocks(element)) {
    const left = known.get(block.outerHTML) || 0;
    if (left > 0) known.set(block.outerHTML, left - 1);
    else block.classList.add("changed-block");
  }
}

// blocks returns the blocks of a document, of lists their items.
const blocks = (root) => [...root.children].flatMap((b) => (/^(UL|OL)$/.test(b.tagName) ? [...b.children] : [b]));

// plain shows a text as it is, and marks the lines that the old one does not have.
function plain(text, old) {
  const element = h("pre", { class: "plain-text", tabindex: "0" });
  if (old === undefined) append(element, [text]);
  else {
    const known = new Map();
    for (const line of old.split("\n")) known.set(line, (known.get(line) || 0) + 1);
    text.split("\n").forEach((line, i) => {
      const left = known.get(line) || 0;
      known.set(line, left - 1);
      append(element, [i > 0 && "\n", left > 0 ? line : h("ins", { class: "changed-block" }, line)]);
    });
  }
  return element;
}

// inParts shows a long text without Markdown, one part after the other.
function inParts(text) {
  const element = h("div", { class: "parts" });
  let shown = 0;
  const note = h("p", { class: "detail", tabindex: "-1" });
  const more = h("button", { type: "button", onclick: () => show() }, "Show more");
  function show() {
    element.insertBefore(h("pre", { class: "plain-text", tabindex: "0" }, text.slice(shown, shown + maxMarkdown)), note);
    shown = Math.min(text.length, shown + maxMarkdown);
    replace(note, `${shown.toLocaleString("en")} of ${plural(text.length, "character")}, as plain text because of the length.`);
    if (shown === text.length) more.remove();
  }
  element.append(note, more);
  show();
  return element;
}

function image(data, type) {
  if (!/^image\//i.test(type)) return download(data, type, "file");
  const size = dimensions(data);
  const show = () => {
    const img = h("img", { alt: `Image, ${type}`, decoding: "async" });
    img.src = objectURL(data, type);
    const caption = h("figcaption", { class: "detail" }, size ? `${size.width} × ${size.height} pixels` : null);
    img.addEventListener("error", () => img.replaceWith(h("p", { class: "not-loaded" }, `The browser cannot show this image (${type}).`)));
    return h("figure", {}, img, caption);
  };
  if (size && size.width * size.height <= maxPixels) return show();
  const why = size ? `The image has ${size.width} × ${size.height} pixels.` : "The size of the image is not known.";
  const holder = h("div", { class: "held-back" }, h("p", {}, why, " "), h("button", { type: "button", onclick: () => holder.replaceWith(show()) }, "Show the image"));
  return holder;
}

// dimensions returns the width and the height in the head of an image, so that an
// image that would fill the memory is not decoded unasked; null if it is not known.
function dimensions(b) {
  const v = new DataView(b.buffer, b.byteOffset, b.byteLength);
  const is = (at, text) => [...text].every((c, i) => b[at + i] === c.charCodeAt(0));
  try {
    if (is(1, "PNG")) return { width: v.getUint32(16), height: v.getUint32(20) };
    if (is(0, "GIF8")) return { width: v.getUint16(6, true), height: v.getUint16(8, true) };
    if (is(0, "BM")) return { width: v.getUint32(18, true), height: Math.abs(v.getInt32(22, true)) };
    if (is(0, "RIFF") && is(8, "WEBP")) {
      if (is(12, "VP8X")) return { width: 1 + (v.getUint32(24, true) & 0xffffff), height: 1 + (v.getUint32(26, true) >>> 8) };
      if (is(12, "VP8L")) return { width: 1 + (v.getUint32(21, true) & 0x3fff), height: 1 + ((v.getUint32(21, true) >>> 14) & 0x3fff) };
      if (is(12, "VP8 ")) return { width: v.getUint16(26, true) & 0x3fff, height: v.getUint16(28, true) & 0x3fff };
    }
    if (b[0] === 0xff && b[1] === 0xd8) {
      for (let at = 2; at < b.length; at += 2 + v.getUint16(at + 2)) {
        const marker = b[at + 1];
        if (b[at] !== 0xff) return null;
        if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) return { width: v.getUint16(at + 7), height: v.getUint16(at + 5) };
      }
    }
  } catch {
    return null; // it is cut off
  }
  return null;
}

function audio(data, type) {
  if (!/^audio\//i.test(type)) return download(data, type, "file");
  const player = h("audio", { controls: true, preload: "metadata", "aria-label": `Audio, ${type}` });
  player.src = objectURL(data, type);
  return player;
}

function download(data, type, name) {
  const a = h("a", { download: name }, `Save the ${bytes(data.length)} of ${type || "unknown type"}`);
  a.href = objectURL(data, "application/octet-stream");
  return h("p", {}, a);
}

const languages = { "application/json": "json", "text/html": "xml", "text/x-go": "go", "text/x-python": "python", "text/css": "css", "text/javascript": "javascript", "application/xml": "xml", "text/xml": "xml", "application/yaml": "yaml", "text/x-diff": "diff", "text/csv": "plaintext" };

function resource(r, body, actions, old) {
  append(body, [h("p", { class: "resource-uri" }, h("code", {}, r.uri))]);
  const inside = h("div", {});
  body.append(inside);
  const type = (r.mimeType || "").toLowerCase().split(";")[0].trim();
  if (r.blob !== undefined) {
    const data = decode(r.blob);
    const name = (r.uri.split(/[?#]/)[0].split("/").pop() || "resource").slice(0, 100);
    if (type.startsWith("image/")) return append(inside, [image(data, type)]);
    if (type.startsWith("audio/")) return append(inside, [audio(data, type)]);
    return append(inside, [download(data, type, name)]);
  }
  const extension = /\.(\w{1,10})$/.exec(r.uri)?.[1]?.toLowerCase();
  const isMarkdown = type === "text/markdown" || (!type && extension === "md");
  textElements(r.text || "", isMarkdown ? "markdown" : languages[type] || extension || "plaintext", inside, actions, old);
}

// link returns a link if the page may have it, else text.
function link(uri, text) {
  if (!/^(https?|mailto):/i.test(uri)) return h("span", {}, text);
  return h("a", { href: uri, rel: "noopener noreferrer nofollow", target: "_blank", title: uri }, text);
}

export function copyButton(text, label = "Copy", name = undefined) {
  const button = h("button", { type: "button", class: "plain", "aria-label": name, async onclick() {
    try {
      await navigator.clipboard.writeText(typeof text === "function" ? text() : text);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Not copied";
    }
    setTimeout(() => { button.textContent = label; }, 1500);
  } }, label);
  return button;
}

// json returns a JSON value as an element. The arguments of the names have no values, and
// secrets are replaced wherever a text quotes them.
export function json(title, value, { names = [], secrets = [] }) {
  const hideText = hiding(secrets);
  const hide = (key, v) => {
    if (typeof v === "string") return hideText(v);
    if (v === null || typeof v !== "object" || Array.isArray(v)) return v;
    const isArguments = key === "arguments";
    return Object.fromEntries(Object.entries(v).map(([k, x]) => [k, isArguments && names.includes(k) ? hidden : x]));
  };
  const text = JSON.stringify(value, hide, 2);
  const isWhole = text.length <= maxMarkdown;
  const shown = isWhole ? text : text.slice(0, maxMarkdown);
  const id = newID("json");
  return h("section", { class: "json", "aria-labelledby": id },
    h("header", {}, h("h3", { id }, title), copyButton(text)),
    h("pre", { tabindex: "0" }, h("code", {}, (isWhole && rich.highlighted?.(shown, "json")) || shown)),
    !isWhole && h("p", { class: "detail" }, `${maxMarkdown.toLocaleString("en")} of ${plural(text.length, "character")}; Copy has all.`));
}

// hiding returns a function that replaces secrets wherever a text quotes them.
export function hiding(secrets) {
  const patterns = secrets.flatMap(matching);
  return (text) => patterns.reduce((t, pattern) => t.replace(pattern, hidden), text);
}

// withoutSecrets returns a result whose texts have no secrets.
export function withoutSecrets(result, secrets) {
  if (secrets.length === 0) return result;
  const hide = hiding(secrets);
  return { ...result, description: result.description && hide(result.description), messages: result.messages.map(({ role, content: c }) => ({ role, content: { ...c, ...(typeof c.text === "string" && { text: hide(c.text) }), ...(c.resource && { resource: { ...c.resource, uri: hide(c.resource.uri), ...(typeof c.resource.text === "string" && { text: hide(c.resource.text) }) } }), ...(c.type === "resource_link" && Object.fromEntries(["uri", "name", "title", "description"].filter((k) => typeof c[k] === "string").map((k) => [k, hide(c[k])]))) } })) };
}

const hidden = "•••";
const maxPiece = 500; // characters

// matching returns an expression for a secret as texts quote it: in any case, indented, and
// with each character as it is or escaped for JSON, a URL or HTML. A long secret has several.
function matching(secret) {
  const pieces = [];
  const characters = [...secret.trim()];
  for (let i = 0; i < characters.length; i += maxPiece) pieces.push(characters.slice(i, i + maxPiece));
  return pieces.map((piece) => new RegExp(piece.map((c) => `(?:${escapesOf(c).join("|")})`).join(""), "giu"));
}

const entities = { "&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos" };

function escapesOf(c) {
  const literal = `\\u{${c.codePointAt(0).toString(16)}}`;
  if (/\s/.test(c)) return [`\\s+`, `\\+`, `%20`, `%09`, `(?:%0D)?%0A\\s*`, `(?:\\\\+[rntv])+\\s*`];
  if (/[\p{L}\p{N}]/u.test(c) && c < "\u0080") return [literal];
  const units = Array.from({ length: c.length }, (_, i) => `\\\\+u${c.charCodeAt(i).toString(16).padStart(4, "0")}`).join("");
  const bytes = [...new TextEncoder().encode(c)].map((b) => "%" + b.toString(16).padStart(2, "0")).join("");
  const code = c.codePointAt(0);
  return [`\\\\*${literal}`, units, bytes, `&#0*${code};`, `&#x0*${code.toString(16)};`, entities[c] && `&${entities[c]};`].filter(Boolean);
}

// clientsOf returns what known clients can show of a prompt. The server has the rules; it gets an
// outline of the prompt and its messages, without texts.
export async function clientsOf(prompt, result) {
  const schemas = prompt._meta?.["io.github.mcp-prompts/inputSchema"]?.properties || {};
  const outline = {
    name: prompt.name,
    arguments: (prompt.arguments || []).map(({ name, required }) => {
      const { type, default: value } = Object((Object.hasOwn(schemas, name) && schemas[name]) || {});
      return { name, required: required === true, type: typeof type === "string" ? type : "", hasDefault: value !== undefined };
    }),
    messages: (result?.messages || []).map((m) => ({ role: m.role, type: m.content.resource?.blob === undefined ? m.content.type : "blob" })),
  };
  const response = await fetch("clients", { method: "POST", body: JSON.stringify(outline) });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

// portability returns a table of what known clients can show.
export async function portability(prompt, result) {
  const { checkedOn, clients } = await clientsOf(prompt, result);
  const rows = clients.map(({ client, isNone, findings }) => {
    const [state, say] = findings.length === 0 ? ["all", "shows all"] : isNone ? ["none", findings[0].what ? "cannot use it" : "shows no prompts"] : ["part", "has limits"];
    return h("tr", {},
      h("th", { scope: "row" }, client),
      h("td", {}, h("span", { class: `verdict ${state}` }, say)),
      h("td", {}, findings.length === 0 ? h("span", { class: "detail" }, "no limit is known for this prompt") : h("ul", {}, findings.map((f) => h("li", {}, f.what && `${f.what}: `, `${client} ${f.effect}. `, link(f.source, "Source"))))));
  });
  return h("div", { class: "portability" },
    h("table", {}, h("caption", { class: "detail" }, `As seen on ${checkedOn}.`, !result && " Render the prompt to check its messages, too."),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Client"), h("th", { scope: "col" }, "Prompt"), h("th", { scope: "col" }, "Why"))),
      h("tbody", {}, rows)));
}
