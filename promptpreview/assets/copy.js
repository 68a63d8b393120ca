// What one copies of a prompt with its values: a link, a request, a command, and what one
// types in a client. Values of sensitive arguments are left to the reader.

import { h } from "./dom.js";
import { headersOf } from "./client.js";
import { copyButton } from "./result.js";

// quoted returns a text as one word of a shell.
const quoted = (text) => (/^[\w./:@%+,=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

// valueOf returns a value as one line of a terminal has it.
const valueOf = (text) => (/\s|"/.test(text) ? JSON.stringify(text) : text);

// ways returns the ways to use a prompt, each with its text. folder is the folder of its
// file, if that is known.
export function ways({ entry, args, sensitive, folder, link }) {
  const values = Object.entries(args).map(([name, value]) => [name, sensitive.includes(name) ? `<${name}>` : value]);
  const request = { jsonrpc: "2.0", id: 1, method: "prompts/get", params: { name: entry.name, arguments: Object.fromEntries(values) } };
  const { headers, meta } = headersOf("prompts/get", entry.name);
  request.params._meta = meta;
  const all = [["Link", link]];
  const url = new URL("mcp", location.href);
  url.search = url.hash = "";
  all.push(["curl", ["curl -sS", ...Object.entries(headers).map(([k, v]) => `-H ${quoted(`${k}: ${v}`)}`), `-d ${quoted(JSON.stringify(request))}`, quoted(url.href)].join(" \\\n  ")]);
  if (folder) all.push(["prompts render", ["prompts render", quoted(folder), quoted(entry.name), ...values.map(([n, v]) => quoted(`${n}=${/^@|^-$/.test(v) ? `@${v}` : v}`))].join(" ")]);
  // By docs/clients: positions for Claude Code and opencode, names for Gemini CLI and Qwen Code.
  const server = folder ? folder.replace(/[\\/]+$/, "").split(/[\\/]/).pop().replace(/[^\w-]/g, "-") || "prompts" : "SERVER";
  const given = Object.fromEntries(values);
  const positions = (entry.arguments || []).map((a) => given[a.name]);
  while (positions.length > 0 && positions.at(-1) === undefined) positions.pop();
  const ofOne = (v) => (v === undefined ? "-" : v.replace(/\s+/g, "-"));
  // Claude Code splits values at spaces, even in quotes.
  const label = positions.some((v) => /\s/.test(v ?? "")) ? "Claude Code, with - for spaces" : "Claude Code";
  all.push([label, `/mcp__${server}__${entry.name} ${positions.map(ofOne).join(" ")}`.trim()]);
  const named = values.map(([n, v]) => `--${n}=${valueOf(v.replace(/\s*\n\s*/g, " "))}`).join(" ");
  all.push(["Gemini CLI", `/${entry.name.replaceAll(" ", "-")} ${named}`.trim()], ["Qwen Code", `/${entry.name} ${named}`.trim()]);
  all.push(["opencode", `/${server}:${entry.name.replace(/[^\w.-]/g, "_")} ${positions.map((v) => valueOf(v ?? "")).join(" ")}`.trim()]);
  return all;
}

// copyMenu returns a button that opens a list of ways. get returns what ways needs.
export function copyMenu(get) {
  const list = h("ul", {});
  const menu = h("details", { class: "copy-menu" }, h("summary", { class: "button" }, "Copy as …"), list);
  menu.addEventListener("toggle", () => {
    if (!menu.open) return;
    list.replaceChildren(...ways(get()).map(([label, text]) => h("li", {}, h("span", { class: "way" }, label), copyButton(text, "Copy", `Copy as ${label}`), h("code", { title: text }, text.length > 90 ? text.slice(0, 90) + "…" : text))));
  });
  menu.addEventListener("keydown", (e) => {
    if (e.key !== "Escape" || !menu.open) return;
    e.stopPropagation();
    menu.open = false;
    menu.querySelector("summary").focus();
  });
  document.addEventListener("click", (e) => { if (!menu.contains(e.target)) menu.open = false; });
  return menu;
}
