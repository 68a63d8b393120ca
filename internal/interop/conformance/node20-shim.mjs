// Lets the conformance suite run on Node.js 20. It imports globSync of fs,
// which came with Node.js 22, for a command that is not used here.

import { register } from 'node:module';

const hooks = `
export async function resolve(specifier, context, next) {
  const isSuite = context.parentURL?.includes('/conformance/dist/');
  if (isSuite && ['fs', 'node:fs'].includes(specifier)) return { url: 'shim:fs', shortCircuit: true };
  return next(specifier, context);
}

export async function load(url, context, next) {
  if (url !== 'shim:fs') return next(url, context);
  const source = \`
    export * from 'node:fs';
    export { default } from 'node:fs';
    export const globSync = () => { throw new Error('globSync needs Node.js 22'); };
  \`;
  return { format: 'module', shortCircuit: true, source };
}`;

register('data:text/javascript,' + encodeURIComponent(hooks));
