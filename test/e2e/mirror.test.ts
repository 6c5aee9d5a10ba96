import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { spawn, spawnSync } from '../support/processes.ts';
import { createWorld, type TestWorld } from '../support/run.ts';
import { syncedHome } from '../support/synced.ts';
import { sample } from '../support/tier.ts';
import { describeWith } from '../support/tools.ts';
import { until } from '../support/until.ts';
import { cleanEnvironment, program, runner, sched, serviceTime } from './program.ts';

let world: TestWorld;
let home: string;
let env: Record<string, string>;
beforeAll(async () => {
  world = await createWorld({ start: serviceTime(inject('began')) });
  home = await syncedHome(world, '--since -1d --until +1d');
  env = { SCHED_TOKEN: world.token, SCHED_BASE_URL: 'http://127.0.0.1:4010' };
});

/** The fields of a process from its state on (proc(5)); none if it has ended. */
const factsOf = (pid: number | string): string[] => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
};
const isRunning = (pid: string): boolean => !['Z', undefined].includes(factsOf(pid)[0]);

/** Whether a process has opened the log of a mirror. A file may be closed meanwhile. */
const hasMirror = (pid: string): boolean => {
  try {
    const folder = `/proc/${pid}/fd/`;
    return readdirSync(folder).some((name) => readlinkSync(folder + name).endsWith('.db-wal'));
  } catch {
    return false;
  }
};
const queryOf = (pid: number): string | undefined =>
  readdirSync('/proc').find((name) => /^\d+$/.test(name) && factsOf(name)[1] === String(pid) && hasMirror(name));

describe.runIf(process.platform === 'linux')('mirror sql', () => {
  const endless = 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c';

  const signals = [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGKILL', null],
  ] as const;
  test.each(sample(signals, 1))('%s ends a query that never ends', async (signal, code) => {
    const child = spawn(runner, [...program, 'mirror', 'sql', endless], { env: cleanEnvironment(home, env) });
    const ended = new Promise((resolve) => child.once('close', resolve));
    await until(() => queryOf(child.pid!) !== undefined);
    const query = queryOf(child.pid!)!;
    child.kill(signal);
    expect(await ended).toBe(code);
    await until(() => !isRunning(query));
  });

  test('keeps each value as it is', async () => {
    const query = `SELECT 9007199254740993 AS large, char(1) || 'x' AS text, 'é' AS "a ""b", x'00ff' AS bytes, NULL AS none`;
    const { code, stdout, stderr } = await sched(['mirror', 'sql', query, '--json'], home, env);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('error')]);
    expect(stdout.replace(/\s/g, '')).toBe(
      String.raw`[{"large":9007199254740993,"text":"\u0001x","a\"b":"é","bytes":"00ff","none":null}]`,
    );
  });
});

describeWith('strace')('a mirror that can not be read', () => {
  // The first read is that of libsql itself.
  test.each(sample([1, 2, 3, 4], 1, (number) => number === 1))('read %i', async (number) => {
    const folder = join(home, '.cache/sched/mirror');
    const file = join(folder, readdirSync(folder).find((name) => name.endsWith('.db'))!);
    const inject = `inject=pread64:error=EIO:when=${number}`;
    const flags = ['-f', '-o', '/dev/null', '-P', file, '-e', 'trace=pread64', '-e', inject];
    const ended = spawnSync('strace', [...flags, runner, ...program, '--mirror', 'events', 'list', '--json'], {
      env: cleanEnvironment(home, env),
    });
    const { error } = JSON.parse(String(ended.stderr).trim().split('\n').at(-1)!);
    expect([ended.status, error.code, error.outcome]).toEqual([3, 'environment', 'not-sent']);
    expect(error.message).toBe("Can't use the mirror");
  });
});
