// The template of a prompt beside its result: which line made which text, where the value
// of an argument went, and which part takes how much.

import { append, editorURL, h, onPoint, plural } from "./dom.js";

const maxPieces = 5_000; // elements

// linesOf parts a piece at its line ends, so that each part is of one line of the template.
// A text of the template has as many lines there; what an action writes has one.
function linesOf(piece) {
  if (piece.action !== "" || piece.line === 0) return [piece];
  return piece.text.split(/(?<=\n)/).map((text, i) => ({ ...piece, text, line: piece.line + i }));
}

// parted returns the messages with pieces of one line. Each piece has the part of the prompt
// that it counts for: an argument, or the text below a heading of a file.
export function parted(messages) {
  const parts = new Map();
  const partOf = (key, of) => {
    if (!parts.has(key)) parts.set(key, of);
    return parts.get(key);
  };
  return messages.map((m) => {
    const headings = new Map(); // the one that was last, by file
    let fence = null;
    let isLineStart = true;
    const pieces = m.pieces.flatMap(linesOf).map((p) => {
      if (p.arguments.length > 0) {
        isLineStart = p.text === "" ? isLineStart : p.text.endsWith("\n");
        return { ...p, part: partOf(`argument ${p.arguments}`, { name: `argument ${p.arguments.join(", ")}` }) };
      }
      const [, mark, info] = (isLineStart && /^ {0,3}(`{3,}|~{3,})(.*)/.exec(p.text)) || [];
      if (mark && fence === null) fence = mark;
      else if (mark?.startsWith(fence) && info.trim() === "") fence = null;
      const [, title] = (isLineStart && fence === null && p.line > 0 && p.action === "" && /^ {0,3}#{1,6}[ \t]+(.*\S)/.exec(p.text)) || [];
      if (title) headings.set(p.file, { name: title.replace(/\s+#+$/, ""), file: p.file, line: p.line });
      isLineStart = p.text.endsWith("\n");
      const heading = headings.get(p.file);
      return { ...p, part: heading ? partOf(`${heading.line} ${p.file}`, heading) : partOf(`text ${p.file}`, { name: p.file ? `text of ${p.file}` : "text" }) };
    });
    return { ...m, pieces };
  });
}

// traced returns the messages of parted as an element, each piece with its place, and
// functions that light the pieces of an argument or of a part.
export function traced(messages, { file, source, onPlace }) {
  const parts = []; // with their elements
  const shows = new Map(); // what shows the part of an element
  const list = h("ol", { class: "traced", "aria-label": "Result", tabindex: "0" });
  messages.forEach((m, i) => {
    const text = h("pre", { class: "plain-text" });
    for (const piece of m.pieces) {
      if (parts.length === maxPieces) {
        append(text, [h("p", { class: "detail" }, "The rest is left out.")]);
        break;
      }
      const isValue = piece.action !== "";
      const element = isValue
        ? h("mark", { class: "value", tabindex: "0", title: `${piece.action}, line ${piece.line} of ${piece.file}` }, piece.text)
        : h("span", { class: piece.file === file ? null : "from-partial" }, piece.text);
      const part = { ...piece, element };
      parts.push(part);
      const show = () => light((p) => p === part, { place: part, from: "result" });
      shows.set(element, show);
      if (isValue) element.addEventListener("focus", show);
      append(text, [element]);
    }
    list.append(h("li", {}, h("p", { class: `role ${m.role === "assistant" ? "assistant" : "user"}` }, `${i + 1} · ${m.role === "assistant" ? "Assistant" : "User"}`, m.kind !== "text" && ` · ${m.kind}`), m.pieces.length > 0 && text));
  });
  const rows = source ? [...source.children] : [];
  const scroll = (box, element) => { // inside of its box alone
    const [a, b] = [box.getBoundingClientRect(), element.getBoundingClientRect()];
    if (b.top < a.top || b.bottom > a.bottom) box.scrollTop += b.top - a.top - box.clientHeight / 3;
  };
  // light lights parts and their lines. from is the part or the row that was pointed at, which
  // stays where it is.
  const light = (isLit, { place, from } = {}) => {
    const lines = new Set();
    let first;
    for (const p of parts) {
      const is = isLit(p);
      p.element.classList.toggle("lit", is);
      if (is && p.file === file) lines.add(p.line);
      if (is) first ??= p;
    }
    rows.forEach((row, i) => row.classList.toggle("lit", lines.has(i + 1)));
    if (from !== "result" && first) scroll(list, first.element);
    if (from !== "source" && lines.size > 0) scroll(source, rows[Math.min(...lines) - 1]);
    onPlace(place ?? first);
  };
  rows.forEach((row, i) => {
    const show = () => light((p) => p.file === file && p.line === i + 1, { from: "source" });
    shows.set(row, show);
    row.addEventListener("focusin", show);
  });
  onPoint(list, ".plain-text > *", (element) => shows.get(element)?.());
  if (source) onPoint(source, "li", (row) => shows.get(row)());
  return { element: list, lightArgument: (name) => light((p) => p.arguments.includes(name)), lightPart(part) {
    light((p) => p.part === part);
    (source && rows.some((row) => row.classList.contains("lit")) ? source : list).scrollIntoView({ block: "nearest" }); // the table is below
  } };
}

const maxRows = 12; // of the table; the smaller parts are one row

// sizes returns a table of which part of the messages of parted takes how much. onPart shows
// a part. count returns the tokens of a text; it is missing before it is known.
export function sizes(messages, onPart, count) {
  const texts = new Map();
  for (const p of messages.flatMap((m) => m.pieces)) {
    if (!texts.has(p.part)) texts.set(p.part, []);
    texts.get(p.part).push(p.text);
  }
  const rows = [...texts].map(([part, all]) => [part, all.join("")]).sort((a, b) => b[1].length - a[1].length);
  const total = rows.reduce((n, [, text]) => n + text.length, 0);
  if (total === 0) return null;
  const tokens = count && messages.reduce((n, m) => n + count(m.pieces.map((p) => p.text).join("")), 0); // as the line above the conversation
  const row = (name, length, n) => h("tr", {}, h("th", { scope: "row" }, name), h("td", { class: "number" }, length.toLocaleString("en")), count && h("td", { class: "number" }, n().toLocaleString("en")), h("td", { class: "number" }, `${Math.round((100 * length) / total)} %`));
  const others = rows.splice(rows.length > maxRows ? maxRows - 1 : maxRows);
  const shown = rows.map(([part, text]) => row([h("button", { type: "button", class: "link", onclick: () => onPart(part) }, part.name), part.line > 0 && h("span", { class: "detail" }, ` ${part.file}:${part.line}`)], text.length, () => count(text)));
  const rest = others.map(([, text]) => text).join("");
  if (rest !== "") shown.push(row(plural(others.length, "smaller part"), rest.length, () => count(rest)));
  return h("table", { class: "sizes", tabindex: "-1" }, h("caption", { class: "detail" }, "What the length comes from"),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Part"), h("th", { scope: "col", class: "number" }, "Characters"), count && h("th", { scope: "col", class: "number" }, "≈ Tokens"), h("th", { scope: "col", class: "number" }, "Share"))),
    h("tbody", {}, shown), h("tfoot", {}, row("total", total, () => tokens)));
}

// placeElement returns where a part is from. root is the folder of the files.
export function placeElement(root, place) {
  if (!place) return "Point at a text to see the line that made it. Point at an argument to see where its value goes.";
  const at = h("code", {}, place.line > 0 ? `${place.file}:${place.line}` : place.file);
  return [place.line > 0 ? h("a", { href: editorURL(root, place.file, place.line) }, at) : at, place.action ? [" ", h("code", {}, place.action)] : " text", place.arguments.length > 0 && ` · ${plural(place.arguments.length, "argument").replace(/^\d+ /, "")} ${place.arguments.join(", ")}`];
}

