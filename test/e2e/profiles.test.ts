import { readdirSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { logIn, type RunningSandbox, sched, shell, startSandbox, temporaryHome } from './program.ts';

let sandboxes: RunningSandbox[];
beforeAll(async () => {
  sandboxes = await Promise.all([startSandbox('--auto-consent'), startSandbox('--auto-consent', '--plan', 'free')]);
});
afterAll(() => Promise.all((sandboxes ?? []).map((sandbox) => sandbox.stop())));

/** A service in front of a sandbox that writes down which tokens it is shown. */
const watched = async (sandbox: RunningSandbox) => {
  const tokens = new Set<string>();
  const server = createServer(async (request, response) => {
    const { authorization = '' } = request.headers;
    tokens.add(authorization.replace('Bearer ', ''));
    const reply = await fetch(`${sandbox.base_url}${request.url}`, { headers: { authorization } });
    response.writeHead(reply.status, { 'content-type': 'application/json' }).end(await reply.text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    base_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tokens,
    close: () => server.close(),
  };
};

describe('profiles', () => {
  // R16
  test('in the current directory leave its mode as it is', async () => {
    const home = temporaryHome();
    const line = 'mkdir -m 755 here && cd here && sched profiles add one --base-url https://api.example.com';
    const { code } = await shell(`cd "$HOME" && ${line} && sched profiles list`, home, {
      SCHED_CONFIG_DIR: '.',
      SCHED_STATE_DIR: '.',
      SCHED_CACHE_DIR: '.',
    });
    const modeOf = (path: string) => (statSync(join(home, path)).mode & 0o777).toString(8);
    expect([code, modeOf('here'), modeOf('here/config.json')]).toEqual([0, '755', '600']);
  });

  test('that are added at the same time are all there', async () => {
    const home = temporaryHome();
    const names = Array.from({ length: 6 }, (_, index) => `p${index}`);
    const added = names.map((name) =>
      sched(['profiles', 'add', name, '--base-url', `https://${name}.example.com`], home),
    );
    expect((await Promise.all(added)).map(({ code }) => code)).toEqual(names.map(() => 0));
    const { stdout } = await sched(['profiles', 'list', '--jq', 'map(.name) | sort | join(" ")'], home);
    expect(stdout.trim()).toBe(names.join(' '));
    expect(readdirSync(join(home, '.config/sched'))).toEqual(['config.json']);
  });

  test('of which much is set at the same time have all of it', async () => {
    const home = temporaryHome();
    await sched(['profiles', 'add', 'one', '--base-url', 'https://api.example.com'], home);
    const settings = { timezone: 'Europe/Paris', output: 'json', user: 'U', organization: 'O', client_id: 'C' };
    const set = Object.entries(settings).map((words) => sched(['profiles', 'set', ...words], home));
    expect((await Promise.all(set)).map(({ code }) => code)).toEqual(set.map(() => 0));
    expect(JSON.parse((await sched(['profiles', 'show', '--json'], home)).stdout)).toMatchObject(settings);
    await sched(['profiles', 'set', 'timezone', ''], home);
    expect(JSON.parse((await sched(['profiles', 'show', '--json'], home)).stdout).timezone).toBeUndefined();
  });

  test('two accounts side by side: no token crosses over', async () => {
    const home = temporaryHome();
    const [one, two] = await Promise.all([watched(sandboxes[0]!), watched(sandboxes[1]!)]);
    for (const [name, { base_url }, token] of [
      ['one', one, 'sandbox_owner'],
      ['two', two, 'sandbox_user'],
    ] as const) {
      const line = `echo ${token} | sched auth login -p ${name} --with-token --credential-store file --base-url ${base_url}`;
      expect((await shell(line, home)).code).toBe(0);
    }
    const name = async (words: string[], env: Record<string, string> = {}) => {
      const { stdout } = await sched(['users', 'me', '--json=name', ...words], home, env);
      return JSON.parse(stdout).name;
    };
    const [amara, tomas] = await Promise.all([name(['-p', 'one']), name(['-p', 'two'])]);
    expect([amara, tomas]).toEqual(['Amara Lindqvist', 'Tomás Ferreira']);
    expect(await Promise.all([name([], { SCHED_PROFILE: 'one' }), name([], { SCHED_PROFILE: 'two' })])).toEqual([
      amara,
      tomas,
    ]);
    expect(await name([])).toBe(amara);
    const used = await sched(['profiles', 'use', 'two'], home);
    expect(used.stderr).toContain('export SCHED_PROFILE=two');
    expect(await name([])).toBe(tomas);
    expect(await name([], { SCHED_PROFILE: 'one' })).toBe(amara);
    // The address of one with the login of the other.
    const crossed = await sched(['users', 'me', '-p', 'two'], home, { SCHED_BASE_URL: one.base_url });
    expect(crossed.code).toBe(4);
    expect([[...one.tokens], [...two.tokens]]).toEqual([['sandbox_owner'], ['sandbox_user']]);
    one.close();
    two.close();
  });

  test('are handed to another home, which needs only a login', async () => {
    const [mine, colleague] = [temporaryHome(), temporaryHome()];
    const [sandbox] = sandboxes as [RunningSandbox];
    expect((await logIn(sandbox, mine, { flags: ['-p', 'prod', '--credential-store', 'file'] })).code).toBe(0);
    const handed = await shell(
      `sched profiles export prod | HOME=${colleague} sched profiles add prod2 --from -`,
      mine,
    );
    expect(handed.code).toBe(0);
    expect(handed.stderr).toContain('sched auth login -p prod2');
    expect((await sched(['events', 'list'], colleague)).code).toBe(4);
    const { code } = await logIn(sandbox, colleague, {
      flags: ['-p', 'prod2', '--credential-store', 'file'],
      isKnown: true,
    });
    expect(code).toBe(0);
    expect((await sched(['events', 'list', '--limit', '1'], colleague)).code).toBe(0);
  });
});

describe('a refusal', () => {
  const refused = async (words: string[], token: string, sandbox: RunningSandbox) => {
    const env = { SCHED_TOKEN: token, SCHED_BASE_URL: sandbox.base_url };
    const { code, stderr } = await sched(words, temporaryHome(), env);
    return { code, stderr };
  };

  test('for a scope names it', async () => {
    const { code, stderr } = await refused(['events', 'cancel', 'X', '--yes'], 'sandbox_read_only', sandboxes[0]!);
    expect(code).toBe(5);
    expect(stderr).toContain('scheduled_events:write');
    expect(stderr).toContain('try: a token that has scheduled_events:write');
  });

  test('for a plan names it', async () => {
    const { code, stderr } = await refused(['activity', 'list'], 'sandbox_owner', sandboxes[1]!);
    expect(code).toBe(5);
    expect(stderr).toMatch(/enterprise plan/i);
  });

  test('for a role names it', async () => {
    const { code, stderr } = await refused(['members', 'list'], 'sandbox_user', sandboxes[0]!);
    expect(code).toBe(5);
    expect(stderr).toMatch(/admin or the owner/);
  });
});
