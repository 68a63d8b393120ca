// What one copies of a prompt with its values: a link, a request, a command, and what one
// types in a client. Values of sensitive arguments are left to the reader.

import { append, h, own } from "./dom.js";
import { headersOf } from "./client.js";
import { clientsOf, copyButton } from "./result.js";

// quoted returns a text as one word of a shell.
const quoted = (text) => (/^[\w./:@%+,=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

// valueOf returns a value as one line of a terminal has it, and wordOf as one word without spaces.
const valueOf = (text) => (/[\s"=]/.test(text) ? JSON.stringify(text.replace(/\s*\n\s*/g, " ")) : text);
const wordOf = (text) => (text === undefined ? "-" : text.replace(/\s+/g, "-"));

const plain = (name) => name.replace(/[^\w.-]/g, "_");
const inOrder = (all, write) => all.map(([, value]) => write(value)).join(" ");
const named = (all, write) => all.filter(([, value]) => value !== undefined).map(([name, value]) => write(name, value)).join(" ");

// lines are what one types in a client, by the clients' names in the table of limits. The pages
// in docs/clients, or the sources in the table, have the forms.
const opencode = (server, name, all) => `/${server}:${plain(name)} ${inOrder(all, (v) => valueOf(v ?? ""))}`;
const lines = {
  // It splits values at spaces, even in quotes.
  "Claude Code": (server, name, all) => `/mcp__${server}__${name} ${inOrder(all, wordOf)}`,
  "Gemini CLI": (_, name, all) => `/${name.replaceAll(" ", "-")} ${named(all, (n, v) => `--${n}=${valueOf(v)}`)}`,
  goose: (_, name, all) => `/prompt ${name} ${named(all, (n, v) => `${n}=${wordOf(v)}`)}`,
  "Kilo Code": opencode,
  opencode,
  pi: (server, name, all) => `/mcp__${server}__${name} ${named(all, (n, v) => `${n}=${valueOf(v)}`)}`,
  "Qwen Code": (_, name, all) => `/${name} ${named(all, (n, v) => `--${n}=${valueOf(v)}`)}`,
  "VS Code": (server, name) => `/mcp.${plain(server)}.${plain(name)}`, // which asks for the values
  Zed: (_, name, all) => `/${name} ${inOrder(all, (v) => v.replace(/\s+/g, " "))}`,
};
const splitting = ["Claude Code", "goose"];

// ways returns the ways to use a prompt, each with its text. folder is the folder of its
// file, if that is known.
function ways({ entry, folder, link }, values) {
  const request = { jsonrpc: "2.0", id: 1, method: "prompts/get", params: { name: entry.name, arguments: Object.fromEntries(values) } };
  const { headers, meta } = headersOf("prompts/get", entry.name);
  request.params._meta = meta;
  const url = new URL("mcp", location.href);
  url.search = url.hash = "";
  return [["Link", link],
    ["curl", ["curl -sS", ...Object.entries(headers).map(([k, v]) => `-H ${quoted(`${k}: ${v}`)}`), `-d ${quoted(JSON.stringify(request))}`, quoted(url.href)].join(" \\\n  ")],
    // The value - is standard input there.
    folder && values.every(([, v]) => v !== "-") && ["prompts render", ["prompts render", quoted(folder), quoted(entry.name), ...values.map(([n, v]) => quoted(`${n}=${/^@/.test(v) ? `@${v}` : v}`))].join(" ")]].filter(Boolean);
}

// clientWays returns the ways to type a prompt in clients that can use it, and sentences about the others.
function clientWays({ entry, folder }, values, clients) {
  const server = folder ? folder.replace(/[\\/]+$/, "").split(/[\\/]/).pop().replace(/[^\w-]/g, "-") || "prompts" : "SERVER";
  const given = Object.fromEntries(values);
  const all = (entry.arguments || []).map((a) => [a.name, own(given, a.name)]);
  while (all.length > 0 && all.at(-1)[1] === undefined) all.pop();
  const hasSpaces = all.some(([, v]) => /\s/.test(v ?? ""));
  const usable = clients.filter((c) => lines[c.client] && !c.isNone)
    .map(({ client }) => [splitting.includes(client) && hasSpaces ? `${client}, with - for spaces` : client, lines[client](server, entry.name, all).trim()]);
  const refused = clients.filter((c) => c.isNone).map(({ client, findings }) => findings.find((f) => f.what) ? `${client} (${findings.find((f) => f.what).what})` : client);
  const inMenu = clients.filter((c) => !lines[c.client] && !c.isNone).map((c) => c.client);
  return [usable, [inMenu.length > 0 && `Choose the prompt in the menu of ${inMenu.join(", ")}.`, refused.length > 0 && `Cannot use this prompt: ${refused.join(", ")}. The tab Clients says why.`]];
}

// copyMenu returns a button that opens a list of ways. get returns what ways needs.
export function copyMenu(get) {
  const list = h("ul", {});
  const menu = h("details", { class: "copy-menu" }, h("summary", { class: "button" }, "Copy as …"), list);
  const way = ([label, text]) => h("li", {}, h("span", { class: "way" }, label), copyButton(text, "Copy", `Copy as ${label}`), h("code", { title: text }, text.length > 90 ? text.slice(0, 90) + "…" : text));
  menu.addEventListener("toggle", async () => {
    if (!menu.open) return;
    const use = get();
    const values = Object.entries(use.args).map(([name, value]) => [name, use.sensitive.includes(name) ? `<${name}>` : value]);
    const first = ways(use, values).map(way);
    list.replaceChildren(...first);
    const { clients } = await clientsOf(use.entry, use.result).catch(() => ({ clients: [] })); // status says that the server does not answer
    if (list.firstChild !== first[0]) return;
    const [usable, others] = clientWays(use, values, clients);
    append(list, [usable.map(way), others.map((text) => text && h("li", { class: "detail" }, text))]);
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
