import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildWorker } from '../auth/support/build-worker.ts';
import { type Killed, killThem } from '../auth/support/refresh-kills.ts';
import { type KilledPrograms, killPrograms } from '../e2e/refresh-kills.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const kills = 250;
const programKills = 200;

let folder: string;
let file: string;
beforeAll(async () => {
  folder = temporaryDirectory('renewal');
  file = await buildWorker(folder);
});

const say = (name: string, told: Killed | KilledPrograms) => process.stdout.write(`${name}: ${JSON.stringify(told)}\n`);

// R24, R25
describe(`${kills} random kills`, () => {
  const whole = { kills, overlaps: [], stuck: [], isWhole: true };

  test('of commands lose no login', async () => {
    const told = await killThem({ file, home: join(folder, 'commands'), kills, victims: 'commands' });
    say('commands', told);
    expect(told).toMatchObject({ ...whole, lost: 0 });
  });

  test('of helpers lose no login if the service accepts a spent token again for a while', async () => {
    const told = await killThem({ file, home: join(folder, 'replayed'), kills, victims: 'helpers', replayMs: 10_000 });
    say('helpers, replay window', told);
    expect(told).toMatchObject({ ...whole, lost: 0 });
  });

  test('of helpers lose a login only between spending and storing', async () => {
    const told = await killThem({ file, home: join(folder, 'helpers'), kills, victims: 'helpers' });
    say('helpers', told);
    expect(told).toMatchObject(whole);
    expect(told.lost).toBeLessThanOrEqual(told.killed.spending);
  });
});

describe(`${programKills} random kills of the built program, with the sandbox,`, () => {
  const whole = { kills: programKills, odd: [], after: 0, isLockFree: true };

  test('of commands lose no login', async () => {
    const told = await killPrograms({ kills: programKills, victims: 'commands' });
    say('real commands', told);
    expect(told).toMatchObject({ ...whole, lost: 0, refused: 0 });
  });

  test('of helpers lose no login within the replay window', async () => {
    const told = await killPrograms({ kills: programKills, victims: 'helpers', replayWindow: '30s' });
    say('real helpers, replay window', told);
    expect(told).toMatchObject({ ...whole, lost: 0, refused: 0 });
  });

  test('of helpers lose a login only between spending and storing', async () => {
    const told = await killPrograms({ kills: programKills, victims: 'helpers' });
    say('real helpers', told);
    expect(told).toMatchObject(whole);
    expect(told.lost).toBeLessThanOrEqual(told.spentUnstored);
  });
});
