// The server of the official TypeScript SDK for the command load: see load/main.go.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';

const shape = { code: z.string().describe('the code'), language: z.string().describe('its language') };
const config = { description: 'Reviews code' };
const text = ({ language, code }) => `Please review this ${language} code:\n${code}`;

function newServer() {
  const server = new McpServer({ name: 'load', version: '1.0.0' });
  for (let i = 0; i < 100; i++) {
    const name = `prompt_${String(i).padStart(3, '0')}`;
    server.registerPrompt(name, { ...config, argsSchema: shape }, (args) => ({
      messages: [{ role: 'user', content: { type: 'text', text: text(args) } }],
    }));
    server.registerTool(name, { ...config, inputSchema: shape }, (args) => ({ content: [{ type: 'text', text: text(args) }] }));
  }
  return server;
}

const transports = new Map();
const http = createServer(async (request, response) => {
  let transport = transports.get(request.headers['mcp-session-id']);
  if (!transport) {
    transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse: true,
      onsessioninitialized: (id) => transports.set(id, transport),
    });
    await newServer().connect(transport);
  }
  await transport.handleRequest(request, response);
});
http.keepAliveTimeout = 60_000; // other connections are opened meanwhile
http.listen(0, '127.0.0.1', () => console.log(`127.0.0.1:${http.address().port}`));
process.stdin.on('end', () => process.exit(0)).resume();
