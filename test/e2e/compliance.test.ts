import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifyChain } from '../../src/commands/bulk/work-verify-receipt.ts';
import { openDatabase } from '../../src/sandbox/store/database.ts';
import { openStore } from '../../src/sandbox/store/store.ts';
import { jobsOf } from '../support/page-snippets.ts';
import { spawn, spawnSync } from '../support/processes.ts';
import { closeLater, temporaryDirectory } from '../support/temporary.ts';
import { few, isDeep, sample } from '../support/tier.ts';
import { pathOf } from '../support/tools.ts';
import { bytesABatch, listen, openTorture, type Step } from './kills.ts';
import {
  cleanEnvironment,
  program,
  type RunningSandbox,
  runner,
  sched,
  shell,
  startSandbox,
  temporaryHome,
  usedHome,
  usedSandbox,
} from './program.ts';

const people = (count: number) => Array.from({ length: count }, (_, index) => `canary.${index}@people.example`);

let sandbox: RunningSandbox;
beforeAll(async () => {
  sandbox = await startSandbox('--no-limits');
});
afterAll(() => sandbox?.stop());

describe('compliance delete, killed', () => {
  few(1, {
    // R34, checked against the sandbox's log.
    'at several points, loses no address and repeats at most one batch each time': async () => {
      const deletion = await openTorture(sandbox).begin(250);
      const steps: Step[] = [
        { step: 4, how: 'half' },
        { step: 9, how: 'half' },
        { step: 12, how: 'before' },
        { step: 14, how: 'after' },
      ];
      // The standalone program can't preload the code that kills it at a step.
      const possible = program.length === 0 ? [] : sample(steps, 1);
      for (const step of possible) expect(await deletion.dieAt(step)).toBe(true);
      expect(await deletion.dieAfter(bytesABatch)).toBe(true);
      const told = await deletion.finish();
      const kills = possible.length + 1;
      expect(told).toMatchObject({
        kills,
        lost: 0,
        leaks: 0,
        status: 'sandbox',
        result: { total: 250, accepted: 250, rejected: 0, unknown: 0 },
      });
      expect(told.sentTwice).toBeLessThanOrEqual(kills * 25);
    },
    // R42
    'by SIGTERM, waits for the reply to its last request, and can be resumed': async () => {
      const home = temporaryHome();
      let arrived: (answer: () => void) => void = () => {};
      const secondBatch = new Promise<() => void>((resolve) => {
        arrived = resolve;
      });
      const service = await listen((count, answer) => (count === 2 ? arrived(answer) : answer()));
      writeFileSync(join(home, 'in.txt'), people(100).join('\n'));
      const env = { SCHED_TOKEN: 'tok', SCHED_BASE_URL: service.url };
      const args = ['compliance', 'delete', '--from', join(home, 'in.txt'), '--confirm', '100', '--json'];
      const child = spawn(runner, [...program, ...args], { env: cleanEnvironment(home, env) });
      const ended = new Promise((resolve) => child.on('close', resolve));
      const answer = await secondBatch;
      let said = '';
      const waits = new Promise<void>((resolve) => {
        child.stderr.on('data', (text) => {
          said += text;
          if (said.includes('Waiting for the reply')) resolve();
        });
      });
      child.kill('SIGTERM');
      await Promise.race([waits, ended]);
      answer();
      expect([await ended, said]).toEqual([143, expect.stringContaining('Waiting for the reply')]);
      const second = await sched(args, home, env);
      service.server.close();
      expect(JSON.parse(second.stdout)).toMatchObject({ total: 100, accepted: 100 });
      expect(service.batches.map(({ length }) => length)).toEqual([25, 25, 25, 25]);
    },
  });
});

describe('compliance delete, disk', () => {
  const prepare = async () => {
    const home = temporaryHome();
    const service = await listen();
    closeLater(() => service.server.close());
    writeFileSync(join(home, 'in.txt'), people(500).join('\n'));
    const env = { SCHED_TOKEN: 'tok', SCHED_BASE_URL: service.url };
    return { home, service, env };
  };
  const line = (receipt: string) => `sched compliance delete --from in.txt --confirm 500 --json --receipt ${receipt}`;
  const statusOf = (receipt: string) => verifyChain(readFileSync(receipt)).status;

  const mountable = (): string | undefined => {
    const place = temporaryDirectory('full');
    if (pathOf('mount') === undefined) return undefined;
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=24k', 'none', place]).status !== 0) return undefined;
    closeLater(() => spawnSync('umount', [place]));
    return place;
  };
  const place = mountable();

  // R35
  test.runIf(place === undefined)('full: stops before the next request, and the same command resumes', async () => {
    const { home, service, env } = await prepare();
    // In blocks of 1,024 bytes. Works like a small disk, but needs no mount.
    const full = await shell(`cd ${home}; trap '' XFSZ; ulimit -f 20; ${line('r.jsonl')}`, home, env);
    expect(full.code).toBe(3);
    expect(full.stderr).toMatch(/EFBIG|ENOSPC/);
    const sent = service.batches.length;
    expect(sent).toBeGreaterThan(3);
    expect(sent).toBeLessThan(15);
    expect(statusOf(join(home, 'r.jsonl'))).toBe('incomplete');
    const second = await shell(`cd ${home}; ${line('r.jsonl')}`, home, env);
    expect({ code: second.code, ...JSON.parse(second.stdout) }).toMatchObject({ code: 0, total: 500, accepted: 500 });
    expect(service.batches.length).toBeLessThanOrEqual(21);
    expect(statusOf(join(home, 'r.jsonl'))).toBe('ok');
  });

  const onDisk = {
    'full: stops before the next request, and the same command resumes': async () => {
      const { home, service, env } = await prepare();
      const receipt = join(place!, 'r.jsonl');
      const full = await shell(`cd ${home}; ${line(receipt)}`, home, env);
      expect(full.code).toBe(3);
      expect(full.stderr).toContain('ENOSPC');
      const sent = service.batches.length;
      expect(sent).toBeGreaterThan(3);
      expect(sent).toBeLessThan(15);
      expect(statusOf(receipt)).toBe('incomplete');
      spawnSync('mount', ['-o', 'remount,size=1m', place!]);
      const second = await shell(`cd ${home}; ${line(receipt)}`, home, env);
      expect({ code: second.code, ...JSON.parse(second.stdout) }).toMatchObject({ code: 0, accepted: 500 });
      expect(service.batches.length).toBeLessThanOrEqual(21);
      expect(statusOf(receipt)).toBe('ok');
    },
    'read-only: stops before the first request': async () => {
      const { home, service, env } = await prepare();
      spawnSync('mount', ['-o', 'remount,ro', place!]);
      const readOnly = await shell(`cd ${home}; ${line(`${place}/other.jsonl`)}`, home, env);
      expect([readOnly.code, readOnly.stderr]).toEqual([3, expect.stringContaining('EROFS')]);
      expect(service.batches).toEqual([]);
    },
  };
  if (place !== undefined) few(1, onDisk);
});

describe('compliance delete, large input', () => {
  test.runIf(isDeep)('plans 100,000 addresses in little memory', async () => {
    const home = temporaryHome();
    writeFileSync(join(home, 'in.txt'), people(100_000).join('\n'));
    const words = ['compliance', 'delete', '--from', join(home, 'in.txt'), '-n', '--json'];
    const { code, stdout } = await sched(words, home, { NODE_OPTIONS: '--max-old-space-size=120' });
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, addresses: 100_000, batches: 4000 });
  });

  // The CSV reader is a part of the bundle that is loaded on first use.
  test('reads a CSV, and names the lines of a broken quote', async () => {
    const [one, two, three] = people(3);
    const csv = `email,name\n${one},"A, B"\n${two},"C\n${three},D\n`;
    const words = ['compliance', 'delete', '--from', '-', '--column', 'email', '-n', '--json', '--skip-invalid'];
    const { code, stdout } = await sched(words, temporaryHome(), {}, csv);
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, addresses: 1, invalid_lines: [3, 4] });
  });
});

/** The recipes of docs/compliance.md, unchanged. */
const page = readFileSync(fileURLToPath(new URL('../../docs/compliance.md', import.meta.url)), 'utf8');
const recipes = [...page.matchAll(/```sh\n# (\S+):[^\n]*\n([\s\S]*?)```/g)].map(([, name, text]) => ({
  name: name!,
  text: text!,
}));

interface Row {
  doc: string;
  organization: string;
  event_type: string;
}

const textOf = (name: string): string => recipes.find((each) => each.name === name)!.text;

const { steps } = jobsOf('docs/compliance.md').delete!;

describe('docs/compliance.md', () => {
  let organization: string;
  beforeAll(async () => {
    const headers = { authorization: `Bearer ${sandbox.token}` };
    const me = await (await fetch(`${sandbox.base_url}/users/me`, { headers })).json();
    organization = (me as { resource: { current_organization: string } }).resource.current_organization
      .split('/')
      .at(-1)!;
  });

  const inSandbox = async (name: string, before: string, home = temporaryHome(), served = sandbox) => {
    mkdirSync(join(home, 'job'), { recursive: true });
    writeFileSync(join(home, 'receipt.key'), `${'0123456789abcdef'.repeat(4)}\n`);
    const account = { SCHED_TOKEN: served.token, SCHED_BASE_URL: served.base_url };
    const key = { SCHED_RECEIPT_KEY_FILE: join(home, 'receipt.key') };
    const env = { CI: 'true', ORG_ID: organization, GITHUB_RUN_ID: '7', GITHUB_RUN_ATTEMPT: '1', ...account, ...key };
    const script = `set -euo pipefail; cd ${home}/job; ${before}\n${textOf(name)}`;
    return { home, ...(await shell(script, home, env)) };
  };
  const write = (text: string) => `printf '${text}' > emails.txt`;
  const two = write('a@x.example\\nb@x.example\\n');

  test('has the recipes', () => {
    expect(recipes.map(({ name }) => name)).toEqual([
      'key',
      'nightly',
      'again',
      'retention',
      'access',
      'plan',
      'delete',
      'audit',
      'rehearse',
    ]);
  });

  // Another one with each commit. The workflow runs `nightly`, too.
  const [chosen] = sample(['key', 'nightly', 'again', 'retention', 'access', 'four eyes', 'rehearse', 'workflow'], 1);
  const testOf = (name: string) => test.runIf(isDeep || name === chosen);

  testOf('key')('key', async () => {
    const home = temporaryHome();
    const { code } = await shell(`cd ${home}; ${textOf('key')}`, home);
    expect(code).toBe(0);
    expect(readFileSync(join(home, 'receipt.key'), 'utf8')).toMatch(/^[0-9a-f]{64}\n$/);
  });

  testOf('nightly')('nightly, also without requests and run twice', async () => {
    const first = await inSandbox('nightly', two);
    expect({ code: first.code, stderr: first.stderr }).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(join(first.home, 'job/result.json'), 'utf8'))).toMatchObject({ accepted: 2 });
    expect(readdirSync(join(first.home, 'job'))).toContain('receipt-7.jsonl');
    const again = await inSandbox('nightly', two, first.home);
    expect(again.code).toBe(0);
    expect(again.stderr).toContain('as the receipt says');
    const empty = await inSandbox('nightly', write('# nobody\\n'));
    expect({ code: empty.code, stderr: empty.stderr }).toMatchObject({ code: 0 });
  });

  testOf('again')('again sounds the alarm if somebody is still there after a week', async () => {
    const file = await usedSandbox();
    const store = openStore(await openDatabase(file));
    const rows = store.all<{ email: string }>(
      "SELECT DISTINCT email FROM invitees WHERE email LIKE '%example' LIMIT 12",
    );
    store.close();
    const served = await startSandbox('--no-limits', '--data', file, '--fault', 'compliance.delete keep=50%');
    const lines = write(rows.map(({ email }) => `${email}\\n`).join(''));
    const deleted = await inSandbox('nightly', lines, temporaryHome(), served);
    expect({ code: deleted.code, stderr: deleted.stderr }).toMatchObject({ code: 0 });
    await sched(['sandbox', 'clock', 'advance', '8d', '--data', file], deleted.home);
    const again = await inSandbox('again', 'RECEIPT=receipt-7.jsonl', deleted.home, served);
    await served.stop();
    const { total, gone, present } = JSON.parse(readFileSync(join(deleted.home, 'job/recheck.json'), 'utf8'));
    expect([again.code, total, gone + present]).toEqual([1, rows.length, rows.length]);
    expect([gone > 0, present > 0]).toEqual([true, true]);
    expect(again.stdout).toMatch(new RegExp(`^present ${present}, unknown 0 of ${total}\nline \\d+: present events`));
    expect(again.stdout + again.stderr).not.toContain('.example');
  });

  testOf('retention')('retention deletes the data of exactly the people without a newer event', async () => {
    const file = await usedSandbox();
    const store = openStore(await openDatabase(file));
    const [event, invitee] = ['events', 'invitees'].map(
      (table) => store.all<Row>(`SELECT * FROM ${table} LIMIT 1`)[0]!,
    );
    const regular = JSON.parse(invitee!.doc).email;
    for (const [id, email] of [`${regular}`, 'canary.old@people.example', 'Canary.old@people.example'].entries()) {
      const [uri, start_time] = [`/scheduled_events/OLD${id}`, '2021-03-01T09:00:00.000Z'];
      const { organization, event_type } = event!;
      store.insert('events', `OLD${id}`, { ...JSON.parse(event!.doc), uri, start_time }, { organization, event_type });
      const doc = { ...JSON.parse(invitee!.doc), uri: `${uri}/invitees/I${id}`, event: uri, email };
      store.insert('invitees', `I${id}`, doc, { event: `OLD${id}` });
    }
    store.close();
    const served = await startSandbox('--no-limits', '--data', file);
    const { home, code, stdout, stderr } = await inSandbox('retention', ':', temporaryHome(), served);
    await served.stop();
    // The receipt of a sandbox proves nothing, which verify says last.
    expect({ code, stderr }).toEqual({ code: 13, stderr: expect.stringContaining('made in the sandbox') });
    const [expired, result] = ['expired', 'result'].map((name) =>
      JSON.parse(readFileSync(join(home, `job/${name}.json`), 'utf8')),
    );
    expect(expired).toMatchObject({ expired: 1, old_addresses: 2, scope: 'organization' });
    expect(result).toMatchObject({ total: 1, accepted: 1 });
    expect(readdirSync(join(home, 'job')).toSorted()).toEqual(['expired.json', 'receipt-7-1.jsonl', 'result.json']);
    expect(stdout + stderr).not.toMatch(/@|canary/);
    const after = openStore(await openDatabase(file));
    const asked = after.all<{ emails: string }>('SELECT emails FROM deletions').map(({ emails }) => JSON.parse(emails));
    after.close();
    expect(asked).toEqual([['canary.old@people.example']]);
  });

  testOf('access')('access, also after a kill before it began', async () => {
    const before = `${write('canary.1@x.example\\ncanary.2@x.example\\n')}; mkdir access; echo '{' > access/receipt.jsonl.0a`;
    const { home, code, stdout, stderr } = await inSandbox('access', before);
    expect({ code, stdout, stderr }).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^2 of 2 exported, head/),
    });
    expect(stdout + stderr).not.toMatch(/@|canary/);
    expect(readdirSync(join(home, 'job/access'))).toEqual(
      expect.arrayContaining(['1.json', '2.json', 'receipt.jsonl']),
    );
  });

  testOf('four eyes')('four eyes: exactly the approved plan is carried out', async () => {
    const plan = await inSandbox('plan', two);
    expect({ code: plan.code, stderr: plan.stderr }).toMatchObject({ code: 0 });
    const changed = await inSandbox('delete', 'echo c@x.example >> emails.txt', plan.home);
    expect(changed.code).toBe(7);
    const done = await inSandbox('delete', two, plan.home);
    expect({ code: done.code, stderr: done.stderr }).toMatchObject({ code: 0 });
    const audit = await inSandbox('audit', ':', plan.home);
    expect(audit.stdout).toContain('sandbox: intact');
    expect(plan.stdout + plan.stderr + done.stdout + done.stderr + audit.stdout).not.toContain('@x.example');
  });

  testOf('rehearse')('rehearse, without an account', async () => {
    const home = await usedHome();
    const { code, stdout, stderr } = await shell(`set -euo pipefail; cd ${home}; ${textOf('rehearse')}`, home);
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('made in the sandbox') });
    expect(stdout).toContain('ok: 1 accepted');
  });

  test('the workflow restores before it runs, keeps the receipt after a failure, and never uploads the key', () => {
    const order = steps.map(({ uses, run }) => uses ?? run!.split('\n')[0]);
    expect(order).toEqual([
      'actions/checkout@v7',
      'example/sched@v1.2.3',
      'actions/cache/restore@v5',
      'umask 077',
      'bash nightly.sh',
      'actions/cache/save@v5',
      'actions/upload-artifact@v7',
    ]);
    const kept = steps.filter(({ uses }) => /save|upload/.test(uses ?? ''));
    for (const step of kept) {
      expect(step.if).toBe('always()');
      expect(step.with!.path).toMatch(/^receipt-[^/]*\.jsonl$/);
    }
  });

  // R37
  testOf('workflow')('the workflow resumes on a fresh machine with input, receipt and secrets', async () => {
    await fetch(`${sandbox.base_url}/__sandbox/faults`, {
      method: 'POST',
      headers: { 'x-sandbox-admin': sandbox.admin_token },
      body: JSON.stringify({ kind: 'status', status: 404, operation: 'compliance.delete', at: 2 }),
    });
    const job = join(temporaryHome(), 'job');
    mkdirSync(job);
    writeFileSync(join(job, 'emails.txt'), people(60).join('\n'));
    writeFileSync(join(job, 'nightly.sh'), `set -euo pipefail\n${textOf('nightly')}`);
    const secrets = { RECEIPT_KEY: '0123456789abcdef'.repeat(4), TOKEN: sandbox.token };
    const attempt = async () => {
      const home = temporaryHome();
      const fill = (text: string) =>
        text.replace(/\$\{\{ (runner\.temp|vars\.ORG_ID) \}\}/g, (_, name) =>
          name === 'runner.temp' ? home : organization,
        );
      const env = Object.fromEntries(Object.entries(steps[4]!.env!).map(([name, text]) => [name, fill(text)]));
      const script = `cd ${job}\n${steps[3]!.run}\nunset RECEIPT_KEY TOKEN\nexport -f sched\n${steps[4]!.run}`;
      const world = { CI: 'true', RUNNER_TEMP: home, GITHUB_RUN_ID: '7', ...secrets };
      return shell(script, home, { ...world, ...env, SCHED_BASE_URL: sandbox.base_url });
    };
    const first = await attempt();
    expect(first.code).toBe(6);
    expect(first.stderr).toContain('Stopped with 25 of 60 accepted');
    const second = await attempt();
    expect({ code: second.code, stderr: second.stderr }).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(join(job, 'result.json'), 'utf8'))).toMatchObject({ total: 60, accepted: 60 });
    expect(readdirSync(job).sort()).toEqual(['emails.txt', 'nightly.sh', 'receipt-7.jsonl', 'result.json']);
    expect(first.stdout + first.stderr + second.stdout + second.stderr).not.toContain('canary');
  });
});
