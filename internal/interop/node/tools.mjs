// Clients of the official TypeScript SDK that know only tools. The input is a JSON array
// of sessions, which are written in tools_test.go. For each session, the output has a
// line "ok NAME", or "FAIL NAME" with the reason.

import fs from 'node:fs';
import * as v2 from '@modelcontextprotocol/client';
import * as v2stdio from '@modelcontextprotocol/client/stdio';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { assert } from './lib.mjs';

const STATELESS = '2026-07-28';
const INFO = { name: 'tools', version: '1' };
const capabilities = { elicitation: { form: {} } };
const answer = () => ({ action: 'accept', content: { context: 'test context' } });

/** Connects version 2 of the SDK for the protocol without sessions, otherwise version 1. */
async function connect({ version, url, command }) {
  const stdio = { command: command?.[0], args: command?.slice(1), stderr: 'inherit' };
  if (version === STATELESS) {
    const client = new v2.Client(INFO, { capabilities, versionNegotiation: { mode: { pin: version } } });
    client.setRequestHandler('elicitation/create', answer);
    await client.connect(url ? new v2.StreamableHTTPClientTransport(new URL(url)) : new v2stdio.StdioClientTransport(stdio));
    return client;
  }
  const client = new Client(INFO, { capabilities });
  client.setRequestHandler(ElicitRequestSchema, answer);
  const transport = url ? new StreamableHTTPClientTransport(new URL(url)) : new StdioClientTransport(stdio);
  const send = transport.send.bind(transport); // the client always offers its newest version
  transport.send = (message, ...rest) =>
    message.method === 'initialize'
      ? send({ ...message, params: { ...message.params, protocolVersion: version } }, ...rest)
      : send(message, ...rest);
  await client.connect(transport);
  return client;
}

async function run(session) {
  const client = await connect(session);
  const names = [];
  let cursor;
  do {
    const page = await client.listTools(cursor ? { cursor } : {});
    names.push(...page.tools.map((tool) => tool.name));
    cursor = page.nextCursor;
  } while (cursor);
  for (const name of session.listed) assert(names.includes(name), `no tool ${name} in ${names}`);
  for (const name of session.hidden ?? []) assert(!names.includes(name), `a tool ${name}`);
  for (const call of session.calls) {
    const { code, isError, texts } = await answerTo(client, call);
    const got = JSON.stringify({ code, isError, texts });
    const matches = call.isError ? texts?.[0].includes(call.texts[0]) : texts?.join('\n') === call.texts?.join('\n');
    assert(code === (call.code ?? 0) && isError === (call.isError ?? false) && matches, `${call.name}: got ${got}`);
  }
  await client.close();
}

async function answerTo(client, { name, arguments: args }) {
  try {
    const result = await client.callTool({ name, arguments: args ?? {} });
    const texts = result.content.map((c) => c.text ?? c.resource?.uri ?? c.type);
    return { code: 0, isError: result.isError ?? false, texts };
  } catch (e) {
    if (typeof e.code !== 'number') throw e;
    return { code: e.code, isError: false };
  }
}

const sessions = JSON.parse(fs.readFileSync(0, 'utf8'));
const worker = async () => {
  for (let session; (session = sessions.shift()); ) {
    try {
      await run(session);
      console.log(`ok ${session.name}`);
    } catch (e) {
      console.log(`FAIL ${session.name} ${e.stack}`.replaceAll('\n', ' '));
    }
  }
};
await Promise.all(Array.from({ length: 4 }, worker));
process.exit(0);
