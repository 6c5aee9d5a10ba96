import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildWorker } from '../auth/support/build-worker.ts';
import { type Killed, killThem } from '../auth/support/refresh-kills.ts';
import { type KilledPrograms, killPrograms } from '../e2e/refresh-kills.ts';
import { temporaryDirectory } from '../support/temporary.ts';

/** Enough that each test kills many processes at each point: a third of them between spending and storing. */
const kills = 40;

let folder: string;
let file: string;
beforeAll(async () => {
  folder = temporaryDirectory('renewal');
  file = await buildWorker();
});

const pause = (most: number) => sleep(Math.random() * most);

/** Runs the kills, and prints their result. */
const tell = async <Told extends Killed | KilledPrograms>(name: string, run: Promise<Told>): Promise<Told> => {
  const began = performance.now();
  const told = await run;
  process.stdout.write(`${name}: ${((performance.now() - began) / 1000).toFixed(0)} s, ${JSON.stringify(told)}\n`);
  return told;
};

// R24, R25
describe(`${kills} random kills`, () => {
  const whole = { kills, overlaps: [], stuck: [], isWhole: true };

  test('of helpers lose no login if the service accepts a spent token again for a while', async () => {
    const told = await tell(
      'helpers, replay window',
      killThem({ file, home: join(folder, 'replayed'), kills, victims: 'helpers', replays: true, pause }),
    );
    expect(told).toMatchObject({ ...whole, lost: 0 });
    expect(told.killed.spending).toBeGreaterThan(0);
  });
});

describe(`${kills} random kills of the built program, with the sandbox,`, () => {
  const whole = { kills, odd: [], after: 0, isLockFree: true };

  test('of commands lose no login', async () => {
    const told = await tell('real commands', killPrograms({ kills, victims: 'commands', pause }));
    expect(told).toMatchObject({ ...whole, lost: 0, refused: 0 });
    expect(told.spentUnstored).toBeGreaterThan(0);
  });

  test('of helpers lose no login within the replay window', async () => {
    const told = await tell(
      'real helpers, replay window',
      killPrograms({ kills, victims: 'helpers', replayWindow: '30s', pause }),
    );
    expect(told).toMatchObject({ ...whole, lost: 0, refused: 0 });
    expect(told.spentUnstored).toBeGreaterThan(0);
  });

  test('of helpers lose a login only between spending and storing', async () => {
    const told = await tell('real helpers', killPrograms({ kills, victims: 'helpers', pause }));
    expect(told).toMatchObject(whole);
    expect(told.lost).toBeLessThanOrEqual(told.spentUnstored);
  });
});
