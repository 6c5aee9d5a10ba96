import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { spawn, spawnSync } from '../support/processes.ts';
import { bytesABatch, listen, openTorture, type Step } from './kills.ts';
import { cleanEnvironment, program, runner, sched, shell, temporaryHome } from './program.ts';

const people = (count: number) => Array.from({ length: count }, (_, index) => `canary.${index}@people.example`);

describe('compliance delete, killed', () => {
  // R34, by the sandbox's own log.
  test('at some steps and at some moments loses no address and repeats at most a batch each time', async () => {
    const torture = await openTorture();
    try {
      const deletion = await torture.begin(500);
      const steps: Step[] = [
        { step: 4, how: 'half' },
        { step: 7, how: 'after' },
        { step: 9, how: 'half' },
        { step: 12, how: 'before' },
        { step: 14, how: 'after' },
      ];
      for (const step of steps) expect(await deletion.dieAt(step)).toBe(true);
      for (const bytes of [bytesABatch, 2.5 * bytesABatch]) expect(await deletion.dieAfter(bytes, 0)).toBe(true);
      const told = await deletion.finish();
      expect(told).toMatchObject({
        kills: 7,
        lost: 0,
        leaks: 0,
        status: 'sandbox',
        result: { total: 500, accepted: 500, rejected: 0, unknown: 0 },
      });
      expect(told.sentTwice).toBeLessThanOrEqual(7 * 25);
    } finally {
      await torture.stop();
    }
  }, 90_000);

  // R42
  test('politely waits for the answer to what was sent, and can go on', async () => {
    const home = temporaryHome();
    const service = await listen(300);
    writeFileSync(join(home, 'in.txt'), people(100).join('\n'));
    const env = { SCHED_TOKEN: 'tok', SCHED_BASE_URL: service.url };
    const args = ['compliance', 'delete', '--from', join(home, 'in.txt'), '--confirm', '100', '--json'];
    const child = spawn(runner, [...program, ...args], { env: cleanEnvironment(home, env) });
    while (service.batches.length < 2) await new Promise((go) => setTimeout(go, 5));
    child.kill('SIGTERM');
    expect(await new Promise((resolve) => child.on('close', resolve))).toBe(143);
    const second = await sched(args, home, env);
    service.server.close();
    expect(JSON.parse(second.stdout)).toMatchObject({ total: 100, accepted: 100 });
    expect(service.batches.map(({ length }) => length)).toEqual([25, 25, 25, 25]);
  });
});

describe('compliance delete, its disk', () => {
  const prepare = async () => {
    const home = temporaryHome();
    const service = await listen();
    writeFileSync(join(home, 'in.txt'), people(500).join('\n'));
    const env = { SCHED_TOKEN: 'tok', SCHED_BASE_URL: service.url };
    return { home, service, env };
  };
  const line = (receipt: string) => `sched compliance delete --from in.txt --confirm 500 --json --receipt ${receipt}`;

  // R35
  test('full stops before the next request, and the same command goes on', async () => {
    const { home, service, env } = await prepare();
    // In blocks of 1,024 bytes: as on a small disk, but no mount is needed.
    const full = await shell(`cd ${home}; trap '' XFSZ; ulimit -f 20; ${line('r.jsonl')}`, home, env);
    expect(full.code).toBe(3);
    expect(full.stderr).toMatch(/EFBIG|ENOSPC/);
    const sent = service.batches.length;
    expect(sent).toBeGreaterThan(3);
    expect(sent).toBeLessThan(15);
    const verified = await shell(`cd ${home}; sched compliance verify r.jsonl`, home);
    expect(verified.code).toBe(11);
    const second = await shell(`cd ${home}; ${line('r.jsonl')}`, home, env);
    service.server.close();
    expect({ code: second.code, ...JSON.parse(second.stdout) }).toMatchObject({ code: 0, total: 500, accepted: 500 });
    expect(service.batches.length).toBeLessThanOrEqual(21);
    expect((await shell(`cd ${home}; sched compliance verify r.jsonl`, home)).code).toBe(0);
  });

  const mountable = (): string | undefined => {
    const place = mkdtempSync(join(tmpdir(), 'sched-full-'));
    return spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=32k', 'none', place]).status === 0 ? place : undefined;
  };
  const place = mountable();
  test.runIf(place !== undefined)('a small file system of its own, too', async () => {
    const { home, service, env } = await prepare();
    try {
      const full = await shell(`cd ${home}; ${line(`${place}/r.jsonl`)}`, home, env);
      expect(full.code).toBe(3);
      expect(full.stderr).toContain('ENOSPC');
      spawnSync('mount', ['-o', 'remount,size=1m', place!]);
      const second = await shell(`cd ${home}; ${line(`${place}/r.jsonl`)}`, home, env);
      expect({ code: second.code, ...JSON.parse(second.stdout) }).toMatchObject({ code: 0, accepted: 500 });
      expect(service.batches.length).toBeLessThanOrEqual(21);
      spawnSync('mount', ['-o', 'remount,ro', place!]);
      const readOnly = await shell(`cd ${home}; ${line(`${place}/other.jsonl`)} --again`, home, env);
      expect(readOnly.code).toBe(3);
      expect(service.batches.length).toBeLessThanOrEqual(21);
    } finally {
      service.server.close();
      spawnSync('umount', [place!]);
    }
  });
});

describe('compliance delete, of many', () => {
  test('plans 100,000 addresses in 3 s and 200 MB', async () => {
    const home = temporaryHome();
    writeFileSync(join(home, 'in.txt'), people(100_000).join('\n'));
    const started = Date.now();
    const { code, stdout } = await sched(
      ['compliance', 'delete', '--from', join(home, 'in.txt'), '-n', '--json'],
      home,
      {
        NODE_OPTIONS: '--max-old-space-size=120',
      },
    );
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, addresses: 100_000, batches: 4000 });
    expect(Date.now() - started).toBeLessThan(process.env.CI ? 10_000 : 3000 * 2);
  });
});

/** Recipes of the README, as they stand. */
const readme = readFileSync(fileURLToPath(new URL('../../README.md', import.meta.url)), 'utf8');
const section = /## Compliance deletions in CI\n([\s\S]*?)\n## /.exec(readme)?.[1] ?? '';
const recipes = [...section.matchAll(/```sh\n# (\S+):[^\n]*\n([\s\S]*?)```/g)].map(([, name, text]) => ({
  name: name!,
  text: text!,
}));

describe('README: compliance deletions in CI', () => {
  const inSandbox = async (name: string, before: string, home = temporaryHome()) => {
    const { text } = recipes.find((each) => each.name === name)!;
    mkdirSync(join(home, 'job'), { recursive: true });
    const env = { CI: 'true', SCHED_SANDBOX: '1', SCHED_RECEIPT_KEY_FILE: join(home, 'receipt.key') };
    const org = `ORG_ID=$(sched users me --jq '.current_organization | split("/") | last' 2>/dev/null)`;
    const script = `set -euo pipefail; cd ${home}/job; [ -e ../receipt.key ] || sched compliance key ../receipt.key >/dev/null 2>&1; ${org}; ${before}\n${text}`;
    return { home, ...(await shell(script, home, env)) };
  };

  test('has the recipes', () => {
    expect(recipes.map(({ name }) => name)).toEqual(['key', 'nightly', 'plan', 'delete', 'audit']);
  });

  test('key', async () => {
    const home = temporaryHome();
    const { code } = await shell(`cd ${home}; ${recipes.find(({ name }) => name === 'key')!.text}`, home);
    expect(code).toBe(0);
    expect(readFileSync(join(home, 'receipt.key'), 'utf8')).toMatch(/^[0-9a-f]{64}\n$/);
  });

  test('nightly, also without requests, and again', async () => {
    const write = (text: string) => `GITHUB_RUN_ID=7; printf '${text}' > emails.txt`;
    const first = await inSandbox('nightly', write('a@x.example\\nb@x.example\\n'));
    expect({ code: first.code, stderr: first.stderr }).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(join(first.home, 'job/result.json'), 'utf8'))).toMatchObject({ accepted: 2 });
    expect(readdirSync(join(first.home, 'job'))).toContain('receipt-7.jsonl');
    const again = await inSandbox('nightly', write('a@x.example\\nb@x.example\\n'), first.home);
    expect(again.code).toBe(0);
    expect(again.stderr).toContain('already accepted');
    const empty = await inSandbox('nightly', write('# nobody\\n'));
    expect({ code: empty.code, stderr: empty.stderr }).toMatchObject({ code: 0 });
  });

  test('four eyes: the plan that was approved is the one that is carried out', async () => {
    const write = `GITHUB_RUN_ID=7; printf 'a@x.example\\nb@x.example\\n' > emails.txt`;
    const plan = await inSandbox('plan', write);
    expect({ code: plan.code, stderr: plan.stderr }).toMatchObject({ code: 0 });
    const changed = await inSandbox('delete', `GITHUB_RUN_ID=7; echo c@x.example >> emails.txt`, plan.home);
    expect(changed.code).toBe(7);
    const done = await inSandbox('delete', write, plan.home);
    expect({ code: done.code, stderr: done.stderr }).toMatchObject({ code: 0 });
    const audit = await inSandbox('audit', `GITHUB_RUN_ID=7`, plan.home);
    expect(audit.stdout).toContain('sandbox: it is whole');
    expect(plan.stdout + plan.stderr + done.stdout + done.stderr + audit.stdout).not.toContain('@x.example');
  });
});
