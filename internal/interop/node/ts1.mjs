// Aims the client of the official TypeScript SDK, version 1, at a prompts
// server and checks what comes back. This client knows only the handshake.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema, PromptListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import {
  assert,
  commonChecks,
  expectCode,
  need,
  newReport,
  params,
  parseArgs,
  Skip,
  sleep,
  trigger,
} from './lib.mjs';

const options = parseArgs('ts1');
const report = newReport(options);
const transport = newTransport(options);
// The client declares this in every revision, also in those that do not have it.
const capabilities = options.config.mrtr ? { elicitation: { form: {} } } : {};
const client = new Client({ name: 'driver-ts1', version: '1.0.0' }, { capabilities });
const errors = [];
client.onerror = (e) => errors.push(e.message);
let version; // that was agreed on
let answer; // to all questions
let asked = 0;
if (options.config.mrtr) {
  client.setRequestHandler(ElicitRequestSchema, () => {
    asked++;
    return answer;
  });
}

const connected = await report.check('connect', connect);
if (!connected) report.finish();
await report.check('ping', async () => {
  assert(Object.keys(await client.ping()).length === 0, 'the result is not empty');
});
await commonChecks(report, client, options.config, version);
await report.check('mrtr', mrtr);
await report.check('mrtr-declined', mrtrDeclined);
await report.check('list-changed', listChanged);
await report.check('close', close);
report.finish();

function newTransport({ url, command, version }) {
  const transport = url
    ? new StreamableHTTPClientTransport(new URL(url))
    : new StdioClientTransport({ command: command[0], args: command.slice(1), env: process.env, stderr: 'inherit' });
  if (version) {
    // The client always offers its newest version; this one is offered instead.
    const send = transport.send.bind(transport);
    transport.send = (message, ...rest) => {
      if (message.method !== 'initialize') return send(message, ...rest);
      return send({ ...message, params: { ...message.params, protocolVersion: version } }, ...rest);
    };
  }
  return transport;
}

async function connect() {
  // The client tells the version that was agreed on to its transport only.
  const setProtocolVersion = transport.setProtocolVersion?.bind(transport);
  transport.setProtocolVersion = (v) => {
    version = v;
    setProtocolVersion?.(v);
  };
  await client.connect(transport);
  const server = client.getServerVersion();
  assert(server?.name, 'no serverInfo.name');
  assert(!options.expect || version === options.expect, `negotiated ${version}, want ${options.expect}`);
  return `version=${version} server=${JSON.stringify(server)} session=${transport.sessionId ?? '-'}`;
}

/** Gets the prompt that asks for input, and counts how often it does. */
async function ask(response) {
  answer = response;
  const before = asked;
  const promise = client.getPrompt(params(options.config.mrtr));
  await promise.catch(() => {});
  return { promise, times: asked - before };
}

/** Whether a server may ask for input in the version that was agreed on. */
function canBeAsked() {
  return version >= '2025-06-18';
}

async function mrtr() {
  const { content, expectText } = need(options.config.mrtr);
  const { promise, times } = await ask({ action: 'accept', content });
  if (!canBeAsked()) {
    assert(times === 0, `asked ${times} times in a revision that has no questions`);
    return expectCode(promise, [-32603]);
  }
  const { messages } = await promise;
  assert(times === 1, `asked ${times} times`);
  const text = messages.map((m) => m.content.text).join('\n');
  assert(text.includes(expectText), 'text not found in ' + JSON.stringify(messages));
  return text;
}

async function mrtrDeclined() {
  need(options.config.mrtr);
  if (!canBeAsked()) throw new Skip('not in this revision');
  const { promise, times } = await ask({ action: 'decline' });
  assert(times === 1, `asked ${times} times`);
  return expectCode(promise, [-32602]);
}

async function listChanged() {
  const wanted = need(options.config.listChanged);
  let received = 0;
  client.setNotificationHandler(PromptListChangedNotificationSchema, () => {
    received++;
  });
  await sleep(options.url ? 300 : 0); // the stream for notifications opens in the background
  await trigger(client, wanted.trigger);
  const end = Date.now() + (wanted.timeoutMs ?? 3000);
  while (received === 0 && Date.now() < end) await sleep(20);
  assert(received > 0, 'no notifications/prompts/list_changed');
  return received + ' received';
}

async function close() {
  if (options.url && transport.sessionId) await transport.terminateSession();
  await client.close();
  // A notification of progress that comes in one piece with the answer is too
  // late for this client, which calls it an error:
  // https://github.com/modelcontextprotocol/typescript-sdk/issues/2580
  const unexpected = errors.filter(
    (e) => !/abort|SSE stream disconnected|progress notification for an unknown token/i.test(e),
  );
  assert(unexpected.length === 0, 'client errors: ' + unexpected.join(' | '));
}
