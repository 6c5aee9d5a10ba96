/** The argument that makes the standalone program run the script below, with the binding it contains. */
export const keychainArgument = '__keychain';

/**
 * Runs in a child process, because the binding can block forever and then even keep its process from exiting.
 * Its argument is the binding's path. It prints `{}` when it is ready, reads one `{op, service, name, text?}` per
 * line, replies with `{value}` or `{error}` on a line, and exits when its input ends. Secrets pass through the pipes only, never through arguments or
 * the environment.
 */
export const keychainScript = `
'use strict';
const end = () => process.kill(process.pid, 'SIGKILL');
const say = (reply) => process.stdout.write(JSON.stringify(reply) + '\\n');
let AsyncEntry;
try {
  ({ AsyncEntry } = require(process.argv[1]));
  say({});
} catch (error) {
  say({ missing: String(error && error.code || "the binding can't be loaded") });
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
