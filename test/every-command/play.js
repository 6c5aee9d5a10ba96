/** Runs the built program on this terminal once per entry of a file, with the recorded replies instead of a network. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Readable } from 'node:stream';
import { replay } from './replay.js';

const load = createRequire(import.meta.url);
const { run } = load('../../dist/main.js');
const { nodeRuntime } = load('../../dist/runtime.js');

// Each command waits for the end of the process.
process.setMaxListeners(0);
const { folder, home, token, now, serviceNow, scenes } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));
process.chdir(folder);
const env = {
  SCHED_TOKEN: token,
  SCHED_BASE_URL: 'http://127.0.0.1:4010',
  SCHED_MCP_URL: 'http://127.0.0.1:4010',
  PAGER: 'cat',
  TERM: 'xterm',
};
const world = {
  ...nodeRuntime(),
  env,
  systemZone: 'Europe/Paris',
  stdin: {
    isTerminal: false,
    bytes: async () => Buffer.from('ada@engine.example\n'),
    line: async () => '',
    stream: () => Readable.from([]),
  },
};
let time = now;
const clock = {
  now: () => time,
  /** @param {number} milliseconds */
  sleep: async (milliseconds) => {
    time += milliseconds;
  },
};
for (const [index, { words, exchanges }] of scenes.entries()) {
  const recorded = replay(exchanges);
  const told = { status: 204, headers: { date: new Date(serviceNow).toUTCString() }, body: '' };
  /** @type {typeof recorded} */
  const send = async (request) => (request.url.endsWith('/__sandbox/time') ? told : recorded(request));
  const code = await run(words, { ...world, clock, home, send, sendToEnd: send });
  await world.stdout.write(`\n<<${index}:${code}>>\n`);
}
