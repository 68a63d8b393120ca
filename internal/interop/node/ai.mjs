// Aims the MCP client of Vercel's AI SDK at a prompts server and checks what comes back. This
// client asks for 2026-07-28 first, and for 2025-11-25 if it is told to. It knows no progress
// and no changed lists.

import { createMCPClient, ElicitationRequestSchema } from '@ai-sdk/mcp';
import { StdioMCPTransport } from '@ai-sdk/mcp/mcp-stdio';
import { assert, commonChecks, expectCode, need, newReport, params, parseArgs } from './lib.mjs';

const options = parseArgs('ai');
for (const check of ['progress', 'cancel']) options.skip.add(check);
const report = newReport(options);
let mcp;
let answer; // to all questions
let asked = 0;

if (!(await report.check('connect', connect))) report.finish();
const version = mcp.initializeResult.protocolVersion;
const client = {
  getServerCapabilities: () => mcp.initializeResult.capabilities,
  listPrompts: (params) => mcp.listPrompts({ params }),
  getPrompt: (params) => mcp.getPrompt(params),
  complete: (params) => mcp.complete(params),
};
await commonChecks(report, client, options.config, version);
await report.check('mrtr', mrtr);
await report.check('mrtr-declined', async () => expectCode(ask({ action: 'decline' }), [-32602]));
await report.check('close', () => mcp.close());
report.finish();

async function connect() {
  const [command, ...args] = options.command ?? [];
  mcp = await createMCPClient({
    transport: options.url ? { type: 'http', url: options.url } : new StdioMCPTransport({ command, args, env: process.env }),
    protocolVersionDiscovery: !options.version,
    capabilities: { elicitation: {} },
  });
  mcp.onElicitationRequest(ElicitationRequestSchema, () => {
    asked++;
    return answer;
  });
  const { protocolVersion, serverInfo } = mcp.initializeResult;
  assert(!options.expect || protocolVersion === options.expect, `negotiated ${protocolVersion}, want ${options.expect}`);
  return `version=${protocolVersion} server=${JSON.stringify(serverInfo)}`;
}

/** Gets the prompt that asks for input, and wants it to ask once. */
async function ask(response) {
  answer = response;
  const before = asked;
  try {
    return await mcp.getPrompt(params(options.config.mrtr));
  } finally {
    assert(asked === before + 1, `asked ${asked - before} times`);
  }
}

async function mrtr() {
  const { content, expectText } = need(options.config.mrtr);
  const { messages } = await ask({ action: 'accept', content });
  const text = messages.map((m) => m.content.text).join('\n');
  assert(text.includes(expectText), 'text not found in ' + JSON.stringify(messages));
  return text;
}
