import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  cleanEnvironment,
  program,
  type RunningSandbox,
  runner,
  sched,
  startSandbox,
  temporaryHome,
} from '../e2e/program.ts';
import { spawn } from '../support/processes.ts';

let sandbox: RunningSandbox;
beforeAll(async () => {
  sandbox = await startSandbox('--no-limits');
});
afterAll(() => sandbox?.stop());

const preload = new URL('../e2e/kill-at.js', import.meta.url).href;
const people = Array.from({ length: 30 }, (_, index) => `tortured.${index}@people.example`);

test.each(['before', 'half', 'after'])('an export killed %s any step continues with the same command', async (how) => {
  let wasKilled = true;
  let kills = 0;
  for (let step = 1; wasKilled; step += 5) {
    const home = temporaryHome();
    const [from, to] = [join(home, 'in.txt'), join(home, 'receipts')];
    writeFileSync(from, people.join('\n'));
    const args = ['compliance', 'export', '--from', from, '--to', to, '--json', '-v'];
    const env = { SCHED_TOKEN: sandbox.token, SCHED_BASE_URL: sandbox.base_url };
    const whole = cleanEnvironment(home, { ...env, KILL_STEP: String(step), KILL_HOW: how });
    const child = spawn(runner, ['--import', preload, ...program, ...args], { env: whole });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text));
    wasKilled = await new Promise((resolve) => child.on('close', (_, signal) => resolve(signal === 'SIGKILL')));
    if (wasKilled) kills += 1;
    const last = await sched(args, home, env);
    expect(JSON.parse(last.stdout)).toMatchObject({ total: 30, accepted: 30, rejected: 0, unknown: 0 });
    expect(said + last.stdout + last.stderr).not.toContain('tortured');
    const found = people.map((_, index) => JSON.parse(readFileSync(join(to, `${index + 1}.json`), 'utf8')).email);
    expect(found).toEqual(people);
    expect(readdirSync(to).filter((name) => name.endsWith('.draft'))).toEqual([]);
    expect(readFileSync(join(to, 'receipt.jsonl'), 'utf8')).not.toContain('tortured');
  }
  process.stdout.write(`export, ${how}: ${kills} kills\n`);
  expect(kills).toBeGreaterThan(20);
});
