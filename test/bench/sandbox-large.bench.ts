import { openSandbox } from '../../src/sandbox/open.ts';
import { type Measurement, median } from './measurement.ts';

const events = 100_000;
const targetSeconds = 20;

/** A sandbox with many events: the time to seed it, and whether a late page takes longer than the first. */
export const measure = async (): Promise<Measurement[]> => {
  const clock = { now: () => Date.now() };
  const started = performance.now();
  const sandbox = await openSandbox({ file: ':memory:', clock, limits: false, world: `large:${events}` });
  const seconds = (performance.now() - started) / 1000;
  const ask = async (url: string) => {
    const begun = performance.now();
    const reply = await sandbox.service({ method: 'GET', url, headers: { authorization: 'Bearer sandbox_owner' } });
    const took = performance.now() - begun;
    return { took, body: JSON.parse(reply.body) };
  };
  try {
    const { body } = await ask('http://127.0.0.1:4010/users/me');
    const first = `http://127.0.0.1:4010/scheduled_events?organization=${encodeURIComponent(body.resource.current_organization)}&count=100`;
    let far = first;
    for (let page = 1; page < 900; page++) far = (await ask(far)).body.pagination.next_page;
    const turns: Array<{ first: number; far: number }> = [];
    for (let round = 0; round < 51; round++) turns.push({ first: (await ask(first)).took, far: (await ask(far)).took });
    return [
      {
        name: `sandbox: seeding large:${events}, beside ${targetSeconds} s`,
        unit: 's',
        value: seconds,
        reference: targetSeconds,
        ratio: seconds / targetSeconds,
        target: { most: 1 },
      },
      {
        name: 'sandbox: page 900 of a listing, beside page 1',
        unit: 'ms',
        value: median(turns.map((turn) => turn.far)),
        reference: median(turns.map((turn) => turn.first)),
        ratio: median(turns.map((turn) => turn.far / turn.first)),
        target: { most: 1.5 },
      },
    ];
  } finally {
    sandbox.close();
  }
};
