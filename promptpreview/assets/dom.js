// Elements are made here. Text of the server becomes text nodes and nothing else.

// invisible are the characters that are not seen themselves: controls but for white
// space, what Unicode says to ignore in display, separators of lines and paragraphs,
// interlinear annotations, and the Braille pattern without dots.
const invisible = /(?![\t\n\r])[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\u2800]/gu;

const codePoint = (c) => "U+" + c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");

// visible returns the text with the names of its invisible characters in their
// place, for attributes.
export const visible = (text) => String(text).replace(invisible, (c) => `⟨${codePoint(c)}⟩`);

// textNodes returns the text as nodes, with a mark in place of each invisible
// character.
export function textNodes(text) {
  text = String(text);
  const nodes = [];
  let from = 0;
  for (const match of text.matchAll(invisible)) {
    if (match.index > from) nodes.push(document.createTextNode(text.slice(from, match.index)));
    const mark = document.createElement("span");
    mark.className = "invisible";
    mark.title = "invisible character";
    mark.textContent = codePoint(match[0]);
    nodes.push(mark);
    from = match.index + match[0].length;
  }
  if (from < text.length) nodes.push(document.createTextNode(text.slice(from)));
  return nodes;
}

// markInvisible does the same for the text inside of an element or a fragment.
export function markInvisible(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) {
    if (walker.currentNode.data.search(invisible) >= 0) found.push(walker.currentNode);
  }
  for (const node of found) node.replaceWith(...textNodes(node.data));
}

// h makes an element. Properties that begin with "on" are listeners; others are
// attributes, which null, undefined and false leave out.
export function h(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties || {})) {
    if (value == null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value") element.value = value;
    else element.setAttribute(name, value === true ? "" : visible(value));
  }
  append(element, children);
  return element;
}

// onPoint calls show with each element of a selector that the mouse moves to. An element that
// scrolling brings below a mouse at rest is not pointed at.
export function onPoint(root, selector, show) {
  let last = null;
  root.addEventListener("mousemove", (e) => {
    const element = e.target.closest(selector);
    if (element === last) return;
    last = element;
    if (element) show(element);
  });
  root.addEventListener("mouseleave", () => { last = null; });
}

export function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child == null || child === false) continue;
    if (child instanceof Node) element.append(child);
    else element.append(...textNodes(child));
  }
}

// replace replaces what is in an element.
export function replace(element, ...children) {
  element.replaceChildren();
  append(element, children);
}

let ids = 0;

// newID returns an id for an element.
export const newID = (prefix) => `${prefix}-${++ids}`;

// announce says something to users of screen readers.
export function announce(text) {
  const announcer = document.getElementById("announcer");
  announcer.textContent = "";
  requestAnimationFrame(() => { announcer.textContent = visible(text); });
}

// The URL that opens a file in the author's editor, which the server knows.
let editor;
let known;
export const editorIsKnown = new Promise((resolve) => { known = resolve; });
export function setEditor(url) {
  editor = url;
  known();
}

// editorURL returns the URL that opens a file of a folder at a place; null without a folder.
export function editorURL(root, path, line, column) {
  if (!root || !path) return null;
  const whole = `/${root.replace(/\/$/, "")}/${path}`.replace(/^\/+/, "/"); // begins with a slash, also a drive of Windows
  const parts = { path: encodeURIComponent(whole).replaceAll("%2F", "/").replaceAll("%3A", ":"), line: line || 1, column: column || 1 };
  return editor.replace(/\{(path|line|column)\}/g, (_, key) => parts[key]);
}

// own returns a property of an object; undefined for what all objects have, such as constructor.
export const own = (object, name) => (Object.hasOwn(Object(object), name) ? object[name] : undefined);

export const plural = (n, one, many = one + "s") => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;

// bytes returns a size for people to read.
export function bytes(n) {
  if (n < 1024) return plural(n, "byte");
  for (const unit of ["KiB", "MiB"]) {
    n /= 1024;
    if (n < 1024 || unit === "MiB") return `${n < 10 ? n.toFixed(1) : Math.round(n)} ${unit}`;
  }
}
