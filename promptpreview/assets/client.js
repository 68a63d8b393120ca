// An MCP client of protocol version 2026-07-28 over Streamable HTTP.

const version = "2026-07-28";
const meta = {
  "io.modelcontextprotocol/protocolVersion": version,
  "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {}, url: {} } },
  "io.modelcontextprotocol/clientInfo": { name: "promptpreview", version: "1" },
};

// RPCError is an error response of the server.
export class RPCError extends Error {
  constructor(error) {
    super(error.message);
    this.code = error.code;
    this.data = error.data;
  }
}

// Unreachable means that the server has not answered, or not to the end.
export class Unreachable extends Error {}

// headersOf returns the headers and the metadata of a request about a name.
export function headersOf(method, name) {
  const headers = {
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
    "MCP-Protocol-Version": version,
    "Mcp-Method": method,
  };
  if (name !== undefined) headers["Mcp-Name"] = headerValue(name);
  return { headers, meta };
}

let lastID = 0;

// request sends a request and returns its result. The exchange, if there is one,
// gets what was sent and received. Notifications before the response go to
// onNotification.
export async function request(method, params, { signal, name, onNotification, exchange = {} } = {}) {
  const id = ++lastID;
  const progress = onNotification && method !== "subscriptions/listen" ? { progressToken: id } : {};
  const message = { jsonrpc: "2.0", id, method, params: { ...params, _meta: { ...meta, ...progress } } };
  exchange.request = message;
  const { headers } = headersOf(method, name);
  let response;
  try {
    response = await fetch("mcp", { method: "POST", headers, body: JSON.stringify(message), signal, cache: "no-store" });
  } catch (err) {
    if (err.name === "AbortError") throw err;
    throw new Unreachable("The server cannot be reached.");
  }
  const type = response.headers.get("Content-Type") || "";
  try {
    if (type.startsWith("text/event-stream")) {
      for await (const m of messages(response.body)) {
        if (m.id === id) return finish(m, exchange);
        onNotification?.(m);
      }
      throw new Unreachable("The server has closed the connection before the response.");
    }
    const text = await response.text();
    if (type.startsWith("application/json")) return finish(JSON.parse(text), exchange);
    throw new RPCError({ code: response.status, message: text.trim().slice(0, 1000) || `HTTP status ${response.status}` });
  } catch (err) {
    if (err instanceof RPCError || err instanceof Unreachable || err.name === "AbortError") throw err;
    throw new Unreachable("The response of the server is cut off.");
  }
}

function finish(message, exchange) {
  exchange.response = message;
  if (message.error) throw new RPCError(message.error);
  return message.result;
}

// headerValue encodes what a header cannot have.
function headerValue(text) {
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith("=?")) return text;
  let binary = "";
  for (const b of new TextEncoder().encode(text)) binary += String.fromCharCode(b);
  return `=?base64?${btoa(binary)}?=`;
}

// messages yields the JSON-RPC messages of an event stream.
async function* messages(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let parts = []; // of the line that has not ended
  let data = [];
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const lines = value.split("\n");
      parts.push(lines[0]);
      for (let i = 1; i < lines.length; i++) {
        const line = parts.join("").replace(/\r$/, "");
        parts = [lines[i]];
        if (line.startsWith("data:")) data.push(line.slice(line[5] === " " ? 6 : 5));
        else if (line === "" && data.length > 0) {
          const text = data.join("\n");
          data = [];
          if (text !== "") yield JSON.parse(text);
        }
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

// listPrompts yields the results of the pages of the list.
export async function* listPrompts(signal) {
  let cursor;
  do {
    const page = await request("prompts/list", cursor === undefined ? {} : { cursor }, { signal });
    yield page;
    cursor = page.nextCursor;
  } while (cursor !== undefined);
}

// discover returns what the server says of itself.
export const discover = (signal) => request("server/discover", {}, { signal });

// getPrompt returns the result of prompts/get. The answers are those to the
// questions of an earlier result.
export function getPrompt(name, args, { answers, requestState, ...options }) {
  const params = { name };
  if (Object.keys(args).length > 0) params.arguments = args;
  if (answers) params.inputResponses = answers;
  if (requestState !== undefined) params.requestState = requestState;
  return request("prompts/get", params, { name, ...options });
}

// complete returns values for an argument.
export async function complete(name, argument, value, others, signal) {
  const params = { ref: { type: "ref/prompt", name }, argument: { name: argument, value } };
  if (Object.keys(others).length > 0) params.context = { arguments: others };
  return (await request("completion/complete", params, { signal })).completion;
}

// listen calls onOpen once changes will be told, and onChange for each. It returns
// when the stream has ended.
export async function listen(signal, onOpen, onChange) {
  await request("subscriptions/listen", { notifications: { promptsListChanged: true } }, {
    signal,
    onNotification(m) {
      if (m.method === "notifications/subscriptions/acknowledged") onOpen();
      if (m.method === "notifications/prompts/list_changed") onChange();
    },
  });
}
