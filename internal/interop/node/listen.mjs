// The client of the official TypeScript SDK for protocol version 2026-07-28. It
// listens at the URL of its argument until its input ends. It prints "listening",
// and after each notification the names of all prompts, as a JSON array.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const client = new Client({ name: 'listen', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
client.setNotificationHandler('notifications/prompts/list_changed', async () => {
  const { prompts } = await client.listPrompts();
  console.log(JSON.stringify(prompts.map((prompt) => prompt.name)));
});
await client.connect(new StreamableHTTPClientTransport(new URL(process.argv[2])));
const subscription = await client.listen({ promptsListChanged: true });
console.log('listening');
subscription.closed.then((how) => console.log(`"the stream has ended: ${how}"`));
process.stdin.resume();
process.stdin.on('end', () => process.exit(0));
