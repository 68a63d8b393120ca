// What drivers share: the command line, the report, and the checks that need
// nothing but a connected client.

import fs from 'node:fs';

/** Parses the command line; exits with 2 if it is wrong. */
export function parseArgs(driver) {
  const args = process.argv.slice(2);
  const options = { driver, skip: new Set() };
  while (args.length > 0) {
    const arg = args.shift();
    if (arg === '--') {
      options.command = args.splice(0);
    } else if (arg === '--config' && args.length > 0) {
      options.config = JSON.parse(fs.readFileSync(args.shift(), 'utf8'));
    } else if (arg === '--url' && args.length > 0) {
      options.url = args.shift();
    } else if (arg === '--protocol-version' && args.length > 0) {
      options.version = args.shift();
    } else if (arg === '--expect-version' && args.length > 0) {
      options.expect = args.shift();
    } else if (arg === '--skip' && args.length > 0) {
      args.shift().split(',').forEach((check) => options.skip.add(check));
    } else {
      usage(driver);
    }
  }
  if (!options.config || Boolean(options.url) === Boolean(options.command?.length)) usage(driver);
  return options;
}

function usage(driver) {
  console.error(
    `usage: ${driver} --config FILE [--protocol-version V] [--expect-version V] [--skip CHECK,…] ` +
      '(--url URL | -- SERVER ARGS…)',
  );
  process.exit(2);
}

/** What a check throws that does not apply. */
export class Skip extends Error {}

/** Returns value, and skips the check if the configuration has none. */
export function need(value) {
  if (value === undefined || value === null) throw new Skip('not in config');
  return value;
}

export function assert(condition, message) {
  if (!condition) throw new Error(message);
}

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Prints a line for each check, and counts. */
export function newReport(options) {
  const counts = { PASS: 0, FAIL: 0, SKIP: 0 };
  const line = (status, check, detail) => {
    counts[status]++;
    const text = String(detail ?? '').replace(/\s+/g, ' ').slice(0, 300);
    console.log(`${status} ${options.driver} ${check} ${text}`.trim());
  };
  return {
    /** Runs a check, and returns false if it fails. */
    async check(name, f) {
      if (options.skip.has(name)) {
        line('SKIP', name, 'by --skip');
        return true;
      }
      try {
        line('PASS', name, await f());
      } catch (e) {
        if (!(e instanceof Skip)) {
          line('FAIL', name, e?.message ?? e);
          return false;
        }
        line('SKIP', name, e.message);
      }
      return true;
    },
    /** Prints the summary and ends the process. */
    finish() {
      const target = options.url ?? options.command.join(' ');
      console.log('SUMMARY ' + JSON.stringify({ driver: options.driver, target, ...counts }));
      process.exit(counts.FAIL > 0 ? 1 : 0);
    },
  };
}

/** Wants the promise to fail with one of the codes. */
export async function expectCode(promise, codes = [-32602]) {
  let result;
  try {
    result = await promise;
  } catch (e) {
    assert(codes.includes(e.code), `error code ${e.code} (${e.message}), want one of ${codes}`);
    return `code ${e.code}: ${e.message}`;
  }
  throw new Error('no error, got ' + JSON.stringify(result));
}

/** The parameters of a prompts/get. */
export const params = ({ name, args }) => ({ name, ...(args ? { arguments: args } : {}) });

/** The checks that need nothing but a connected client, of a version. */
export async function commonChecks(report, client, config, version) {
  const page = (cursor) => client.listPrompts(cursor === undefined ? undefined : { cursor });
  const get = (g) => client.getPrompt(params(g));
  const complete = ({ ref, argument, context }) =>
    client.complete({ ref, argument, ...(context ? { context } : {}) });

  await report.check('capabilities', () => {
    const capabilities = client.getServerCapabilities();
    assert(capabilities?.prompts, 'no prompts capability: ' + JSON.stringify(capabilities));
    const needed = config.complete && version >= '2025-03-26';
    assert(!needed || capabilities.completions, 'no completions capability');
    return JSON.stringify(capabilities);
  });
  await report.check('list-all', () => checkList(page, config));
  await report.check('bad-cursor', async () =>
    expectCode(page(need(config.pagination?.badCursor)), config.pagination.badCursorCodes),
  );
  for (const g of config.gets ?? []) {
    await report.check('get:' + g.name, async () => checkMessages(await get(g), g));
  }
  await report.check('unknown-prompt', async () => expectCode(get(need(config.unknown)), config.unknown.codes));
  await report.check('missing-arg', async () => expectCode(get(need(config.missingArg)), config.missingArg.codes));
  await report.check('complete', async () => checkValues(await complete(need(config.complete)), config.complete));
  await report.check('complete-unknown', async () =>
    expectCode(complete(need(config.completeUnknown)), config.completeUnknown.codes),
  );
  await report.check('concurrent', async () => {
    const g = need(config.gets?.[0]);
    const results = await Promise.all(Array.from({ length: 20 }, () => get(g)));
    results.forEach((result) => checkMessages(result, g));
    return `${results.length} parallel gets`;
  });
  await report.check('progress', () => checkProgress(client, need(config.progress)));
  await report.check('cancel', async () => {
    const g = need(config.gets?.[0]);
    await cancelGet(client, need(config.cancel));
    return checkMessages(await get(g), g);
  });
}

const maxPages = 1000;

async function checkList(page, config) {
  const seen = new Set();
  let pages = 0;
  let cursor;
  do {
    const result = await page(cursor);
    assert(++pages <= maxPages, 'the list has no end');
    for (const { name } of result.prompts) {
      assert(name && !seen.has(name), 'empty or duplicate name ' + name);
      seen.add(name);
    }
    cursor = result.nextCursor;
  } while (cursor !== undefined);
  for (const name of config.expectPrompts ?? []) assert(seen.has(name), 'missing prompt ' + name);
  const wanted = config.pagination?.minPages ?? 1;
  assert(pages >= wanted, `${pages} pages, want at least ${wanted}`);
  return `${seen.size} prompts in ${pages} pages`;
}

function checkMessages({ messages }, { expectText, expectTypes, expectRoles }) {
  assert(messages.length > 0, 'no messages');
  const text = messages.map((m) => m.content.text ?? m.content.resource?.text ?? '').join('\n');
  assert(text.includes(expectText ?? ''), 'text not found in ' + JSON.stringify(messages));
  expectSame('types', messages.map((m) => m.content.type), expectTypes);
  expectSame('roles', messages.map((m) => m.role), expectRoles);
  return messages.length + ' messages';
}

function expectSame(what, got, want) {
  assert(want === undefined || JSON.stringify(got) === JSON.stringify(want), `${what} ${got}, want ${want}`);
}

function checkValues({ completion: { values } }, { expectContains = [], expectAbsent = [] }) {
  assert(values.length <= 100, 'more than 100 values');
  for (const value of expectContains) assert(values.includes(value), `no ${value} in ${values}`);
  for (const value of expectAbsent) assert(!values.includes(value), `unexpected ${value}`);
  return JSON.stringify(values);
}

/** Gets a prompt that tells how far it is; the client takes the request's id, an integer, as the token. */
async function checkProgress(client, wanted) {
  const seen = [];
  await client.getPrompt(params(wanted), { onprogress: ({ progress }) => seen.push(progress) });
  assert(seen.length >= wanted.min, `${seen.length} notifications of progress, want at least ${wanted.min}`);
  assert(seen.every((p, i) => i === 0 || p > seen[i - 1]), 'progress does not increase: ' + seen);
  return seen.join(', ');
}

const cancelAfterMs = 500;

/** Gets a prompt that takes too long, and cancels it. */
async function cancelGet(client, slow) {
  const reason = 'it takes too long';
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(reason), cancelAfterMs);
  try {
    const result = await client.getPrompt(params(slow), { signal: controller.signal });
    throw new Error('not cancelled, got ' + JSON.stringify(result));
  } catch (e) {
    if (!e.message.includes(reason)) throw e;
  } finally {
    clearTimeout(timer);
  }
}

/** Makes the server change its list. */
export async function trigger(client, { kind, name, args }) {
  if (kind === 'prompt') await client.getPrompt(params({ name, args }));
  else if (kind === 'tool') await client.callTool({ name, arguments: args ?? {} });
  else throw new Error('unknown kind of trigger ' + kind);
}
