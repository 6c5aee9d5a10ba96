/** The word that makes the standalone program run the script below, with the binding that is inside it. */
export const keychainArgument = '__keychain';

/**
 * What runs in a process of its own, because the binding can block for ever and then not even let its process end.
 * Given the binding's path; reads `{op, name, text?}` a line, answers `{value}` or `{error}` a line, and goes when its
 * input ends. Secrets pass through the pipes only, never through arguments or the environment.
 */
export const keychainScript = `
'use strict';
const end = () => process.kill(process.pid, 'SIGKILL');
const say = (reply) => process.stdout.write(JSON.stringify(reply) + '\\n');
let AsyncEntry;
try {
  ({ AsyncEntry } = require(process.argv[1]));
} catch (error) {
  say({ missing: String(error && error.code || 'the binding cannot be loaded') });
}
const run = async ({ op, service, name, text }) => {
  const entry = new AsyncEntry(service, name, { linux: { store: 'secret-service' } });
  if (op === 'get') return (await entry.getPassword()) ?? null;
  if (op === 'set') return entry.setPassword(text).then(() => null);
  return entry.deletePassword();
};
let input = '';
let last = Promise.resolve();
process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk) => {
  input += chunk;
  for (let cut; (cut = input.indexOf('\\n')) >= 0; input = input.slice(cut + 1)) {
    const line = input.slice(0, cut);
    last = last
      .then(() => run(JSON.parse(line)))
      .then((value) => say({ value }), (error) => say({ error: String(error && error.message || error) }));
  }
});
process.stdin.on('end', end);
process.stdin.on('error', end);
process.stdout.on('error', end);
`;
