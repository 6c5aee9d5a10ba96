import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type HttpReply, type HttpRequest, isSuccess, type Send } from '../../../src/http/message.ts';
import { whileFailing } from '../../support/failing-calls.ts';
import { lost } from '../../support/lost-replies.ts';
import { execFileSync } from '../../support/processes.ts';
import type { Result, WorldOptions } from '../../support/run.ts';
import { sample, times } from '../../support/tier.ts';
import { address, canary, changing, linesOf, linesWith, openDeletion, textOf } from './rechecking.ts';

const keepSome = 'compliance.delete keep=20%';

const isAbout =
  (path: string) =>
  ({ url }: HttpRequest) =>
    new URL(url).pathname === path;
const isSearch = ({ url }: HttpRequest) => /invitee_email=(?!nobody)/.test(url);
const answer = (status: number, body: object = {}): HttpReply => ({ status, headers: {}, body: JSON.stringify(body) });

/** A deletion that left some people, and the right answer about each line. */
const openLeft = async (count = 40) => {
  const place = await openDeletion(count, keepSome);
  await place.remove();
  const present = place.kept();
  expect(present.length).toBeGreaterThan(2);
  const expectRight = (result: Result) =>
    expect([result.code, linesWith(result, 'present'), linesWith(result, 'unknown')]).toEqual([11, present, []]);
  return { ...place, present, expectRight };
};

const filesIn = (home: string): string =>
  readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile() && each.name !== 'in.txt')
    .map((each) => readFileSync(join(each.parentPath, each.name), 'latin1'))
    .join('\n')
    .toLowerCase();

const services: Record<string, (service: Send) => WorldOptions> = {
  'ignores the filter': (service) =>
    changing(service, (request) => ({ ...request, url: request.url.replace(/invitee_email=[^&]*&?/, '') })),
  'refuses the filter': (service) => ({
    ...changing(service),
    send: async (request) => {
      if (!request.url.includes('invitee_email')) return changing(service).send(request);
      return answer(400, { title: 'Invalid Argument', details: [{ parameter: 'invitee_email', message: 'no' }] });
    },
  }),
  'searches for exactly the same letters': (service) =>
    changing(service, (request) => {
      const email = new URL(request.url).searchParams.get('invitee_email') ?? '';
      return /[A-Z]/.test(email) ? { ...request, url: request.url.replace(/invitee_email=/, '$&not-') } : request;
    }),
  'finds nobody by address': (service) =>
    changing(service, (request) => ({ ...request, url: request.url.replace('invitee_email=', '$&not-') })),
};

describe('compliance recheck', () => {
  test('finds exactly who is still there, with the requests that it announced', { timeout: 3_600_000 }, async () => {
    const count = times(300, 10_000);
    const { remove, recheck, kept, home } = await openDeletion(count, 'compliance.delete keep=3%', { limits: true });
    await remove();
    const result = await recheck();
    const present = kept();
    expect([result.code, linesWith(result, 'present')]).toEqual([11, present]);
    expect(JSON.parse(result.stdout)).toMatchObject({
      total: count,
      gone: count - present.length,
      present: present.length,
      unknown: 0,
    });
    const inEvents = linesOf(result).filter(({ where = [] }) => where.includes('events'));
    expect(inEvents.length).toBeGreaterThan(1);
    expect(linesOf(result).some(({ where = [] }) => where.join() === 'submissions')).toBe(true);

    const announced = Number(
      /addresses: ([\d,]+) requests, and one for each/.exec(result.stderr)![1]!.replace(',', ''),
    );
    expect(result.stderr).toMatch(/[1-9]\d* not gone/);
    const ofLook = result.requests.slice(result.requests.findIndex(isAbout('/routing_forms')));
    const ofEvents = ofLook.filter(({ url }) => !url.includes('/routing_form'));
    expect(ofEvents.length).toBe(announced + inEvents.length);
    expect(filesIn(home)).not.toContain(canary);
  });

  test('is done with 0 if all are gone, and looks anew each time', async () => {
    const { remove, recheck, store } = await openDeletion(25);
    await remove();
    const first = await recheck();
    expect([first.code, linesWith(first, 'gone').length]).toEqual([0, 25]);
    const invitee = store.first<{ id: string; doc: string }>("SELECT id, doc FROM invitees WHERE id = 'RECHECK7'")!;
    store.update('invitees', invitee.id, { ...JSON.parse(invitee.doc), email: address(7).toUpperCase() });
    const second = await recheck();
    expect([second.code, linesWith(second, 'present')]).toEqual([11, [9]]);
    expect(JSON.parse(second.stdout).run).not.toBe(JSON.parse(first.stdout).run);
  });

  for (const [title, world] of sample(Object.entries(services), 2))
    test(`reads each list of invitees once at a service that ${title}`, async () => {
      const { recheck, expectRight, service } = await openLeft();
      const result = await recheck([], world(service));
      expect(result.stderr).toContain("doesn't search events by address");
      expectRight(result);
      const lists = result.requests
        .map(({ url }) => new URL(url).pathname)
        .filter((path) => path.endsWith('/invitees'));
      // Somebody who could prove the search was looked for first.
      expect(lists.length - new Set(lists).size).toBeLessThanOrEqual(4);
      const announced = Number(/are read once: ([\d,]+) requests/.exec(result.stderr)![1]!.replace(',', ''));
      expect(new Set(lists).size).toBe(announced);
    });

  const refusals: Record<
    string,
    [path: string, reply: HttpReply, unread: string, isFound: (where: string) => boolean]
  > = {
    'lacks the scope for submissions': [
      '/routing_forms',
      answer(403, { title: 'Insufficient scope', required_scopes: ['routing_forms:read'] }),
      'submissions',
      (where) => where.includes('events'),
    ],
    'may not read one form': [
      '/routing_form_submissions',
      answer(403, { title: 'Permission Denied', message: `nothing about ${address(1)}` }),
      'submissions',
      (where) => where.includes('events'),
    ],
    'has no plan with forms': [
      '/routing_forms',
      answer(403, { title: 'Permission Denied', message: 'Please upgrade to Enterprise' }),
      'submissions',
      (where) => where.includes('events'),
    ],
    'finds no such path': ['/routing_forms', answer(404), 'submissions', (where) => where.includes('events')],
    'may not read events': ['/scheduled_events', answer(403), 'events', (where) => where === 'submissions'],
    'finds no path of events': ['/scheduled_events', answer(404), 'events', (where) => where === 'submissions'],
  };
  for (const [title, [path, reply, unread, isFound]] of sample(Object.entries(refusals), 1, ([, [path]]) => path))
    test(`says of nobody that they are gone if the token ${title}`, async () => {
      const { recheck, service } = await openLeft();
      const right = linesOf(await recheck());
      const send: Send = async (request) => (isAbout(path)(request) ? reply : service(request));
      const result = await recheck([], { send });
      expect([result.code, linesWith(result, 'gone')]).toEqual([11, []]);
      for (const { line, finding, where = [], unread: missing } of linesOf(result)) {
        const known = right.find((each) => each.line === line)!;
        const isStillFound = known.finding === 'present' && isFound(known.where!.join());
        expect([finding, missing ?? where]).toEqual(isStillFound ? ['present', known.where] : ['unknown', [unread]]);
      }
    });

  test("says of nobody that they are gone if the token can't read other hosts, or the search stops working", async () => {
    const { recheck, service } = await openLeft();
    const own = await recheck([], { env: { SCHED_TOKEN: 'sandbox_user' }, send: service });
    expect([own.code, own.stderr]).toEqual([expect.any(Number), expect.stringMatching(/other hosts|organization/)]);
    let searches = 0;
    const send: Send = (request) => {
      if (isSearch(request)) searches += 1;
      const isBroken = isSearch(request) && searches > 10;
      return service(isBroken ? { ...request, url: request.url.replace('invitee_email=', '$&not-') } : request);
    };
    const result = await recheck([], { send });
    expect([result.code, linesWith(result, 'gone')]).toEqual([11, []]);
    expect(linesOf(result).flatMap(({ unread = [] }) => unread)).toContain('the search by address');
  });

  test('says of nobody that they are gone if a list of invitees is too short', async () => {
    const { recheck, service, present } = await openLeft();
    const more = services['ignores the filter']!(service);
    const send: Send = async (request) => {
      const reply = await more.send!(request);
      return new URL(request.url).pathname.endsWith('/RECHECK7/invitees')
        ? { ...reply, body: '{"collection":[],"pagination":{}}' }
        : reply;
    };
    const result = await recheck([], { ...more, send });
    expect([result.code, linesWith(result, 'gone')]).toEqual([11, []]);
    expect(present).toEqual(expect.arrayContaining(linesWith(result, 'present')));
    expect(linesOf(result).flatMap(({ unread = [] }) => unread)).toContain('the invitees of some events');
  });

  test('gives the same answer with lost replies, refusals for a while and a rate limit', async () => {
    const { recheck, service, expectRight, clock } = await openLeft();
    let number = 0;
    const send: Send = async (request) => {
      number += 1;
      if (number % 16 === 0) throw lost();
      if (number % 14 === 3) return { ...answer(429), headers: { 'retry-after': '3' } };
      if (number % 25 === 9) return answer(503);
      return service(request);
    };
    let result = await recheck([], { send });
    for (let round = 0; round < 20 && result.code === 9; round += 1) {
      await clock.sleep(60_000);
      result = await recheck([], { send });
    }
    expect(number).toBeGreaterThan(50);
    expectRight(result);
  });

  for (const [title, isKind] of [
    ['searching', false],
    ['reading all', true],
  ] as const)
    test(`continues after a kill at any record of ${title}`, { timeout: 300_000 }, async () => {
      const place = await openLeft(30);
      const { recheck, expectRight, home, clock } = place;
      const more = isKind ? services['ignores the filter']!(place.service) : {};
      const path = join(home, 'second.jsonl');
      const whole = await recheck(['--receipt', path], more);
      expectRight(whole);
      const lines = textOf(path).split('\n').slice(0, -1);
      expect(lines.length).toBe(30 * 2 + 2);
      for (const kept of sample(
        lines.slice(0, -1).map((_, index) => index + 1),
        3,
      )) {
        await clock.sleep(60_000);
        const again = join(home, `after-${kept}.jsonl`);
        // A killed process may leave half of a line.
        const torn = kept % 2 === 0 ? lines[kept]!.slice(0, 40) : '';
        writeFileSync(again, `${lines.slice(0, kept).join('\n')}\n${torn}`);
        const result = await recheck(['--receipt', again], more);
        expectRight(result);
        const verdicts = textOf(again).match(/"type":"verdict"/g)!;
        expect(verdicts).toHaveLength(30);
        const verified = await place.run(['compliance', 'verify', again, '--sandbox', '--json']);
        expect(JSON.parse(verified.stdout)).toMatchObject({ status: 'ok', first: 'ok', total: 30 });
      }
    });

  test('goes on after an interruption, without reading finished lists again', async () => {
    const { recheck, expectRight, service, clock, home } = await openLeft(30);
    const more = services['ignores the filter']!(service);
    const lists = new Map<string, number>();
    let result: Result | undefined;
    for (let round = 0; round < 20 && result?.code !== 11; round += 1) {
      const stop = new AbortController();
      let left = 12;
      const send: Send = async (request) => {
        const reply = await more.send!(request);
        const { pathname } = new URL(request.url);
        if (pathname.includes('RECHECK') && isSuccess(reply)) {
          lists.set(pathname, (lists.get(pathname) ?? 0) + 1);
          left -= 1;
          if (left === 0) stop.abort(new Error('killed'));
        }
        return reply;
      };
      await clock.sleep(1000);
      result = await recheck([], { ...more, send, interrupted: stop.signal }).catch(() => undefined);
    }
    expectRight(result!);
    expect(lists.size).toBe(24);
    // At most the one that was being read when the process ended.
    expect([...lists.values()].reduce((sum, times) => sum + times - 1, 0)).toBeLessThanOrEqual(3);
    expect(readdirSync(join(home, '.local/state/sched/receipts')).filter((name) => name.startsWith('seen'))).toEqual(
      [],
    );
  });

  for (const [title, code] of [
    ['removed at the end', 11],
    ['removed at the start', 3],
  ] as const)
    test(`answers truly if notes of finished lists can't be ${title}`, async () => {
      const { recheck, expectRight, service, clock } = await openLeft(10);
      let left = code === 3 ? 0 : 1;
      const isNext = (path: string) => /seen-\w+$/.test(path) && left-- === 0;
      const result = await whileFailing('rm', isNext, () => recheck([], services['ignores the filter']!(service)));
      if (code === 11) expectRight(result);
      else expect([result.code, result.stderr]).toEqual([3, expect.stringMatching(/Can't remove .*seen-/)]);
      // The next one looks anew.
      await clock.sleep(60_000);
      expectRight(await recheck([], services['ignores the filter']!(service)));
    });

  test('has a receipt that auditors can check, chained to the first one', async () => {
    const { recheck, run, home, receipt, present } = await openLeft();
    const path = join(home, 'second.jsonl');
    const { head, after } = JSON.parse((await recheck(['--receipt', path])).stdout);
    const first = JSON.parse((await run(['compliance', 'verify', receipt, '--sandbox', '--json'])).stdout);
    expect(after).toEqual({ run: first.run, head: first.head });
    const audit = join(home, 'audit');
    expect((await run(['compliance', 'bundle', path, '--to', audit])).code).toBe(0);
    const check = (...args: string[]) =>
      execFileSync('bash', [join(audit, 'check.sh'), '--sandbox', ...args], {
        stdio: ['ignore', 'pipe', 'ignore'],
      }).toString();
    expect(check(join(audit, 'receipt.jsonl'), head)).toContain(
      `ok: ${40 - present.length} gone, ${present.length} still there, 0 unknown of 40`,
    );
    expect(check(join(audit, 'first.jsonl'), first.head)).toContain('ok: 40 accepted');
    expect(textOf(join(audit, 'SUMMARY.md'))).toContain(`| still there | ${present.length} |`);
    const proof = await run(['compliance', 'prove', path, '--email', '-', '--sandbox', '--json'], {
      stdin: `${address(present[0]! - 2)}\n`,
    });
    expect(JSON.parse(proof.stdout)).toMatchObject({ found: true, finding: expect.stringContaining('still in: ') });
    writeFileSync(receipt, textOf(receipt).replace('"total":40', '"total":41'));
    const verified = await run(['compliance', 'verify', path, '--sandbox', '--json']);
    expect([verified.code, JSON.parse(verified.stdout).first]).toEqual([13, 'different']);
  });
});

describe('compliance recheck refuses', () => {
  const wrong: Record<
    string,
    { code: number; says: RegExp; change: (place: Awaited<ReturnType<typeof openLeft>>) => string[] }
  > = {
    'a file with somebody else': {
      code: 7,
      says: /line 42 is not in it/,
      change: ({ from }) => {
        writeFileSync(from, `${textOf(from)}${canary}.else@people.example\n`);
        return [];
      },
    },
    'a file that lacks somebody': {
      code: 7,
      says: /1 address of it is not in the input/,
      change: ({ from }) => {
        writeFileSync(from, textOf(from).replace(`${address(7)}\n`, ''));
        return [];
      },
    },
    'a line without an address': {
      code: 2,
      says: /line 42 contains no email address/,
      change: ({ from }) => {
        writeFileSync(from, `${textOf(from)}${canary}\n`);
        return [];
      },
    },
    'a receipt that was changed': {
      code: 13,
      says: /edited at line 2/i,
      change: ({ receipt }) => {
        writeFileSync(receipt, textOf(receipt).replace('"type":"sending"', '"type":"sendinG"'));
        return [];
      },
    },
    'a deletion that has not ended': {
      code: 7,
      says: /has not ended/,
      change: ({ receipt }) => {
        writeFileSync(receipt, textOf(receipt).replace(/.*\n$/, ''));
        return [];
      },
    },
    'another key': {
      code: 3,
      says: /but the key found is/,
      change: ({ home }) => {
        writeFileSync(join(home, 'other.key'), 'ab'.repeat(32));
        return ['--receipt-key-file', join(home, 'other.key')];
      },
    },
  };
  for (const [title, { code, says, change }] of Object.entries(wrong))
    test(title, async () => {
      const place = await openLeft();
      const result = await place.recheck(change(place));
      expect([result.code, result.stderr]).toEqual([code, expect.stringMatching(says)]);
      expect(result.requests.filter(isAbout('/scheduled_events'))).toEqual([]);
      expect(result.stdout).toBe('');
    });

  test('a receipt of another service or organization, one of other work, and a call without a file', async () => {
    const { recheck, run, receipt, from, service, home } = await openLeft();
    const elsewhere = await recheck([], {
      ...changing(service),
      env: { SCHED_TOKEN: 'tok', SCHED_BASE_URL: 'https://other.example' },
    });
    expect([elsewhere.code, elsewhere.stderr]).toEqual([7, expect.stringContaining('from another service')]);
    const send: Send = async (request) => {
      const reply = await service(request);
      return isAbout('/users/me')(request)
        ? { ...reply, body: reply.body.replaceAll(/organizations\/\w+/g, 'organizations/OTHER') }
        : reply;
    };
    const other = await recheck([], { send });
    expect([other.code, other.stderr]).toEqual([7, expect.stringContaining('different organization')]);
    const path = join(home, 'second.jsonl');
    await recheck(['--receipt', path]);
    const twice = await run(['compliance', 'recheck', path, '--from', from]);
    expect([twice.code, twice.stderr]).toEqual([2, expect.stringContaining('is not from a deletion')]);
    const bare = await run(['compliance', 'recheck', receipt]);
    expect([bare.code, bare.stderr]).toEqual([2, expect.stringContaining('--from')]);
  });
});

test('an address with other letters is unknown to a search, and found in a list in any way of writing it', async () => {
  const { store, run, from, home, service, clock } = await openDeletion(1);
  const [typed, shown] = [`${canary}.dünn@people.example`, `${canary}.DU\u0308NN@people.example`];
  writeFileSync(from, `${typed}\n`);
  const receipt = join(home, 'letters.jsonl');
  const place = ['--from', from, '--receipt'];
  expect((await run(['compliance', 'delete', ...place, receipt, '--confirm', '1', '--json'])).code).toBe(0);
  const recheck = (more = {}) => run(['compliance', 'recheck', receipt, '--from', from, '--json'], more);
  expect(linesOf(await recheck())).toEqual([{ line: 1, finding: 'unknown', unread: ['other spellings'] }]);
  const all = services['ignores the filter']!(service);
  await clock.sleep(1000);
  expect(linesWith(await recheck(all), 'gone')).toEqual([1]);
  const invitee = store.first<{ id: string; doc: string }>('SELECT id, doc FROM invitees LIMIT 1')!;
  store.update('invitees', invitee.id, { ...JSON.parse(invitee.doc), email: shown });
  await clock.sleep(1000);
  expect(linesWith(await recheck(all), 'present')).toEqual([1]);
});
