// Aims the client of the official TypeScript SDK, version 1, at a prompts
// server and checks what comes back. This client knows only the handshake.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { PromptListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { assert, commonChecks, need, newReport, parseArgs, sleep, trigger } from './lib.mjs';

const options = parseArgs('ts1');
const report = newReport(options);
const transport = newTransport(options);
const client = new Client({ name: 'driver-ts1', version: '1.0.0' }, { capabilities: {} });
const errors = [];
client.onerror = (e) => errors.push(e.message);

const connected = await report.check('connect', connect);
if (!connected) report.finish();
await report.check('ping', async () => {
  assert(Object.keys(await client.ping()).length === 0, 'the result is not empty');
});
await commonChecks(report, client, options.config);
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
  let version;
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
  const unexpected = errors.filter((e) => !/abort|SSE stream disconnected/i.test(e));
  assert(unexpected.length === 0, 'client errors: ' + unexpected.join(' | '));
}
