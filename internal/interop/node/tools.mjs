// A client of the official TypeScript SDK, version 1, that knows only tools:
//
//	tools.mjs each|pair VERSION URL
//	tools.mjs each|pair VERSION SERVER ARGS…

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { assert, expectCode } from './lib.mjs';

const [shape, version, server, ...args] = process.argv.slice(2);
const transport = /^https?:/.test(server)
  ? new StreamableHTTPClientTransport(new URL(server))
  : new StdioClientTransport({ command: server, args, stderr: 'inherit' });
const send = transport.send.bind(transport);
transport.send = (message, ...rest) =>
  message.method === 'initialize'
    ? send({ ...message, params: { ...message.params, protocolVersion: version } }, ...rest)
    : send(message, ...rest);

const client = new Client({ name: 'tools', version: '1' }, { capabilities: { elicitation: { form: {} } } });
client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { context: 'test context' } }));
await client.connect(transport);

const names = [];
let cursor;
do {
  const page = await client.listTools({ cursor });
  names.push(...page.tools.map((t) => t.name));
  cursor = page.nextCursor;
} while (cursor);
assert(names.includes(shape === 'pair' ? 'get_prompt' : 'test_simple_prompt'), 'tools: ' + names);

const call = (name, args) =>
  client.callTool(shape === 'pair' ? { name: 'get_prompt', arguments: { name, arguments: args } } : { name, arguments: args });
const text = (result) => result.content[0].text;
assert(text(await call('test_simple_prompt', {})) === 'This is a simple prompt for testing.', 'another text');
assert(text(await call('test_prompt_with_arguments', { arg1: 'a', arg2: 'b' })).includes("arg1='a', arg2='b'"), 'another text');
const wrong = await call('test_prompt_with_arguments', { arg1: 1 });
assert(wrong.isError && text(wrong).includes('arg2 is required'), JSON.stringify(wrong));
const asked = await call('test_input_required_result_prompt', {});
assert(version >= '2025-06-18' ? text(asked).includes('test context') : asked.isError, JSON.stringify(asked));
await expectCode(client.callTool({ name: 'no_such_tool' }), [-32602]);
const hidden = 'test_prompt_with_embedded_resource';
assert(!names.includes(hidden), 'a hidden tool');
await expectCode(client.callTool({ name: hidden }), [-32602]);
await client.close();
console.log('ok');
