import { existsSync, writeFileSync } from 'node:fs';
import { openSandbox } from '../../../src/sandbox/open.ts';

/**
 * A process of test/sandbox/store/snapshot-processes.test.ts: `ask FILE` and `ask URL` send requests until FILE.done exists, and
 * print from how many worlds the replies came; `replace FILE` saves and restores until it is killed.
 */
const [task, file = '', place = ''] = process.argv.slice(2);

/** In each world, all names begin with the same letter, and so many years have passed. */
const worldsIn = (date: string, body: string): string => {
  const names = [...body.matchAll(/"(?:user_)?name":"(.)/g)].map(([, letter]) => letter!);
  return [...new Set([...names, new Date(date).getUTCFullYear() === 2031 ? 'A' : 'B'])].sort().join('');
};

const ask = async () => {
  const seen: Record<string, number> = {};
  const sandbox =
    place === file ? await openSandbox({ file, clock: { now: () => Date.now() }, limits: false }) : undefined;
  const headers = { authorization: 'Bearer sandbox_owner' };
  const get = async (path: string): Promise<string> => {
    const url = `${sandbox === undefined ? place : 'http://127.0.0.1:4010'}${path}`;
    const reply = await (sandbox?.service({ method: 'GET', url, headers }) ??
      fetch(url, { headers }).then(async (got) => ({
        headers: { date: got.headers.get('date') },
        body: await got.text(),
      })));
    const world = worldsIn(reply.headers.date!, reply.body);
    seen[world] = 1 + (seen[world] ?? 0);
    return reply.body;
  };
  const { resource } = JSON.parse(await get('/users/me'));
  writeFileSync(`${file}.ready-${process.pid}`, '');
  const events = `/scheduled_events?organization=${encodeURIComponent(resource.current_organization)}&count=20`;
  for (let turn = 0; turn === 0 || !existsSync(`${file}.done`); turn += 1) {
    const { collection } = JSON.parse(await get(events));
    await get(`${new URL(collection[turn % 20].uri).pathname}/invitees`);
    await get(`/routing_forms?organization=${encodeURIComponent(resource.current_organization)}`);
  }
  sandbox?.close();
  process.stdout.write(JSON.stringify(seen));
};

const replace = async () => {
  const { snapshots } = await openSandbox({ file, clock: { now: () => Date.now() } });
  for (let turn = 0; ; turn += 1) {
    await snapshots.restore(turn % 2 === 0 ? 'A' : 'B');
    process.stdout.write(`restored ${turn}\n`);
    snapshots.save('copy');
    process.stdout.write(`saved ${turn}\n`);
  }
};

void (task === 'ask' ? ask() : replace());
