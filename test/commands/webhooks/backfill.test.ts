import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SchedError } from '../../../src/base/errors.ts';
import type { HttpReply, Send } from '../../../src/http/message.ts';
import { ownerToken } from '../../../src/sandbox/oauth/ready-tokens.ts';
import { lost } from '../../support/lost-replies.ts';
import { sample, times } from '../../support/tier.ts';
import { type Answer, canary, type Got, handlerUrl, ok, openMissed, recordOf } from './backfilling.ts';

const status = (code: number, headers: Record<string, string> = {}): HttpReply => ({ status: code, headers, body: '' });
const idOf = ({ event, created_at, payload }: Got) => [event, created_at, payload.uri].join(' ');
const invitee = ({ event }: Got) => event.startsWith('invitee.');
const sumOf = ({ stdout }: { stdout: string }) => JSON.parse(stdout);

describe('webhooks backfill', () => {
  test('sends what the service would have sent, in order and signed', { timeout: 1_800_000 }, async () => {
    const bookings = times(12, 750);
    const { own, backfill, arrived, counted } = await openMissed(bookings);
    const result = await backfill();
    const sent = new Map(
      own()
        .filter(invitee)
        .map((each) => [idOf(each), each]),
    );
    expect(sent.size).toBe(bookings + Math.floor(bookings / 3));
    expect([result.code, sumOf(result)]).toEqual([
      0,
      expect.objectContaining({ deliveries: sent.size, accepted: sent.size, failed: 0, left: 0 }),
    ]);
    expect([...counted.keys()].toSorted()).toEqual([...sent.keys()].toSorted());
    expect(arrived.map(({ created_at }) => created_at)).toEqual(arrived.map(({ created_at }) => created_at).toSorted());
    const canceled = new Set(
      arrived.flatMap(({ event, payload }) => (event === 'invitee.canceled' ? [payload.uri] : [])),
    );
    let same = 0;
    for (const each of arrived) {
      const { created_by: _, ...rest } = each;
      const { created_by: __, ...original } = sent.get(idOf(each))!;
      if (each.event === 'invitee.created' && canceled.has(each.payload.uri)) {
        // What has changed since is shown as it is now.
        expect([original.payload.status, rest.payload.status]).toEqual(['active', 'canceled']);
        continue;
      }
      expect(rest).toEqual(original);
      expect(JSON.stringify(rest)).toBe(JSON.stringify(original));
      same += 1;
    }
    expect(same).toBe(sent.size - canceled.size);
    expect(recordOf(result)).not.toMatch(new RegExp(`@|${canary}|people`));
  });

  test('sends what happened in the second that is not over yet', async () => {
    const { clock, ask, backfill, counted, own } = await openMissed(1);
    const [, event] = /\/scheduled_events\/([^/]+)/.exec(own()[0]!.payload.uri)!;
    await clock.sleep(500);
    await ask('POST', `/scheduled_events/${event}/cancellation`, {});
    await backfill();
    expect([...counted.values()].map((each) => each.event)).toEqual(['invitee.created', 'invitee.canceled']);
  });

  test('misses nothing if the clock of this machine is behind', async () => {
    const { backfill, own } = await openMissed(3);
    const words = ['--since', '2020-01-01', '--dry-run'];
    const env = { SCHED_TOKEN: ownerToken, SCHED_BASE_URL: 'http://127.0.0.1:4010' };
    // The second one knows its account, and asks for nothing before it reads.
    for (const behindMs of [0, 86_400_000]) {
      const result = await backfill(words, { env, clockAheadMs: -behindMs });
      const uris = new Set(JSON.parse(result.stdout).map(({ uri }: { uri: string }) => uri));
      expect(own().filter((each) => invitee(each) && !uris.has(each.payload.uri))).toEqual([]);
    }
  });

  test('is accepted whole by a handler that fails a third of the time', { timeout: 1_800_000 }, async () => {
    const { backfill, answering, counted, arrived } = await openMissed(times(12, 750));
    answering((number) => (number % 3 === 1 ? status(number % 2 === 0 ? 500 : 429) : ok));
    const result = await backfill();
    expect([result.code, sumOf(result).accepted]).toEqual([0, counted.size]);
    expect(arrived.length).toBeGreaterThan(counted.size * 1.3);
  });

  test('repeats at most the delivery that was on its way when it was killed', { timeout: 1_800_000 }, async () => {
    const { backfill, answering, arrived, counted } = await openMissed(times(12, 120));
    let kills = 0;
    let result = { code: -1, stdout: '', stderr: '' };
    for (let after = 1; after < 400 && result.code !== 0; after += 1) {
      // Killed right before the handler sees a delivery, or after it has counted it.
      const stop: Answer = (number) => {
        if (number < 1 + (after % 4)) return ok;
        kills += 1;
        throw new Error('killed');
      };
      answering(
        after % 2 === 0
          ? stop
          : (number, request) => {
              if (number < 1 + (after % 4)) return ok;
              const got: Got = JSON.parse(request.body!);
              arrived.push(got);
              counted.set(idOf(got), got);
              kills += 1;
              throw new Error('killed');
            },
      );
      result = await backfill().catch(() => ({ code: -1, stdout: '', stderr: '' }));
    }
    answering(() => ok);
    result = await backfill();
    expect(result.code).toBe(0);
    expect(kills).toBeGreaterThan(times(4, 10));
    expect(arrived.length - counted.size).toBeLessThanOrEqual(kills);
    const total = sumOf(result).deliveries;
    expect(counted.size).toBe(total);
    // The same bytes each time.
    const bodies = new Map<string, string>();
    for (const each of arrived) {
      expect(bodies.get(idOf(each)) ?? JSON.stringify(each)).toBe(JSON.stringify(each));
      bodies.set(idOf(each), JSON.stringify(each));
    }
  });

  test('goes on after a kill at any record, also in the middle of a line', { timeout: 300_000 }, async () => {
    const { backfill, arrived } = await openMissed(9);
    const whole = await backfill();
    const total = sumOf(whole).deliveries;
    const path = sumOf(whole).record;
    const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
    expect(lines).toHaveLength(total + 2);
    for (const kept of sample(
      lines.slice(1).map((_, index) => index + 1),
      3,
    )) {
      writeFileSync(path, `${lines.slice(0, kept).join('\n')}\n${kept % 2 === 0 ? lines[kept]!.slice(0, 33) : ''}`);
      arrived.length = 0;
      const result = await backfill();
      expect([result.code, arrived.length]).toEqual([0, total - (kept - 1)]);
    }
  });

  test('sends a delivery again with the same bytes if its answer is lost', async () => {
    const { backfill, answering, arrived, counted } = await openMissed(9);
    answering((number) => (number % 4 === 2 ? 'loses the answer' : ok));
    const result = await backfill();
    expect(result.code).toBe(0);
    const lostAnswers = arrived.length - counted.size;
    expect(lostAnswers).toBeGreaterThan(2);
    for (const [index, each] of arrived.entries())
      if (index > 0 && idOf(arrived[index - 1]!) === idOf(each)) expect(each).toEqual(arrived[index - 1]);
  });

  const failures: Record<string, [answer: Answer, says: RegExp]> = {
    'answers 400': [() => status(400), /it answered 400/],
    'answers 500': [() => status(500), /it answered 500/],
    redirects: [() => status(308, { location: 'https://elsewhere.example/' }), /it answered 308/],
    hangs: [() => 'hangs', /no complete reply within 10 s/],
    'is down': [() => 'refuses', /the connection was refused/],
  };
  for (const [title, [answer, says]] of Object.entries(failures))
    test(`stops after five attempts at a handler that ${title}, and goes on from there`, async () => {
      const { backfill, answering, counted, arrived, clock } = await openMissed(9);
      answering((number, request) => (number <= 4 ? ok : answer(number, request)));
      const before = clock.now();
      const result = await backfill();
      expect([result.code, result.stderr]).toEqual([11, expect.stringMatching(says)]);
      expect(sumOf(result)).toMatchObject({ accepted: 4, failed: 1, left: 7 });
      expect((clock.now() - before) / 1000).toBe(30);
      expect(result.stderr.match(/Trying again in/g)).toHaveLength(4);
      // The next one begins where the unfinished one began, also with a later --since.
      answering(() => ok);
      await clock.sleep(3_600_000);
      const next = await backfill(['--since', '-30m']);
      expect([next.code, next.stderr]).toEqual([0, expect.stringContaining('An earlier backfill has not ended')]);
      expect(sumOf(next)).toMatchObject({ deliveries: 12, earlier: 4, accepted: 8 });
      expect(counted.size).toBe(12);
      expect(arrived.length).toBeLessThanOrEqual(12 + 5);
      expect(sumOf(await backfill())).toMatchObject({ earlier: 12, accepted: 0 });
      expect(sumOf(await backfill(['--again']))).toMatchObject({ earlier: 0, accepted: 12 });
    });

  test('goes on with --skip-failed, and sends what was skipped the next time', async () => {
    const { backfill, answering, counted } = await openMissed(9);
    const refused = '.4@people';
    answering((_, { body = '' }) => (body.includes(refused) ? status(422) : ok));
    const result = await backfill(['--skip-failed']);
    expect([result.code, sumOf(result)]).toEqual([11, expect.objectContaining({ accepted: 11, failed: 1, left: 0 })]);
    answering(() => ok);
    const next = await backfill(['--skip-failed']);
    expect([next.code, sumOf(next)]).toEqual([0, expect.objectContaining({ accepted: 1, earlier: 11 })]);
    expect(counted.size).toBe(12);
  });

  test('says after a signal whether something was accepted, or may have been', async () => {
    const { backfill, answering, counted } = await openMissed(3);
    for (const [at, outcome] of [
      [1, 'unknown'],
      [2, 'applied'],
    ] as const) {
      const stop = new AbortController();
      answering((number) => {
        if (number < at) return ok;
        stop.abort(new SchedError('interrupted', 'Interrupted'));
        return status(500);
      });
      const result = await backfill([], { interrupted: stop.signal, env: { SCHED_ERROR_FORMAT: 'json' } });
      expect([result.code, result.stderr]).toEqual([130, expect.stringContaining(`"outcome":"${outcome}"`)]);
    }
    expect(counted.size).toBe(1);
  });

  test('leaves out what the handler has received', async () => {
    const { backfill, own, home, counted } = await openMissed(9);
    const all = [
      ...new Map(
        own()
          .filter(invitee)
          .map((each) => [idOf(each), each]),
      ).values(),
    ];
    const log = join(home, 'received.jsonl');
    writeFileSync(
      log,
      [
        ...all.slice(0, 3).map((each) => JSON.stringify({ ...each, _sched: { status: 204 } })),
        // The handler refused this one.
        JSON.stringify({ ...all[3]!, _sched: { status: 500 } }),
        '',
        `${all[4]!.event}\t${all[4]!.payload.uri}`,
      ].join('\n'),
    );
    const result = await backfill(['--received', log]);
    expect([result.code, sumOf(result)]).toEqual([0, expect.objectContaining({ received: 4, accepted: 8 })]);
    expect([...counted.keys()].toSorted()).toEqual([...all.slice(3, 4), ...all.slice(5)].map(idOf).toSorted());
  });

  test('sends submissions of forms, if asked', async () => {
    const { backfill, ask, store, counted, clock } = await openMissed(3);
    const row = store.first<{ doc: string; form: string }>('SELECT * FROM submissions LIMIT 1')!;
    const doc = {
      ...JSON.parse(row.doc),
      uri: '/routing_form_submissions/MISSED',
      created_at: new Date(clock.now()).toISOString(),
    };
    store.insert('submissions', 'MISSED', doc, { form: row.form });
    await clock.sleep(1000);
    const result = await backfill(['--events', 'routing_form_submission.created']);
    expect([result.code, [...counted.values()].map(({ event, payload }) => [event, payload.uri])]).toEqual([
      0,
      [['routing_form_submission.created', expect.stringMatching(/MISSED$/)]],
    ]);
    expect((await ask('GET', '/users/me')).status).toBe(200);
  });

  test('--dry-run lists the deliveries without people, and sends and records nothing', async () => {
    const { backfill, arrived, own } = await openMissed(6);
    const result = await backfill(['--dry-run']);
    const all = new Set(own().filter(invitee).map(idOf));
    expect(result.code).toBe(0);
    const rows: Record<string, string>[] = JSON.parse(result.stdout);
    expect(new Set(rows.map(({ event, created_at, uri }) => `${event} ${created_at} ${uri}`))).toEqual(all);
    expect(Object.keys(rows[0]!)).toEqual(['event', 'created_at', 'uri']);
    expect(arrived).toEqual([]);
    expect(sumOf(await backfill())).toMatchObject({ accepted: all.size, earlier: 0 });
  });

  test('misses nothing while the service fails, refuses, or hides invitees for a while', async () => {
    const { backfill, service, counted, own } = await openMissed(9);
    let number = 0;
    const send: Send = async (request) => {
      number += 1;
      if (number % 9 === 0) throw lost();
      if (number % 7 === 0) return { ...status(429, { 'retry-after': '2' }), body: '{}' };
      const reply = await service(request);
      const isHidden = /\/invitees/.test(request.url) && number < 14;
      return isHidden ? { ...reply, body: '{"collection":[],"pagination":{}}' } : reply;
    };
    const result = await backfill([], { send });
    expect(result.code).toBe(0);
    expect(counted.size).toBe(new Set(own().filter(invitee).map(idOf)).size);
  });

  test('says that something may be missing if the service goes on hiding invitees', async () => {
    const { backfill, service } = await openMissed(6);
    const send: Send = async (request) => {
      const reply = await service(request);
      return /\/invitees/.test(request.url) ? { ...reply, body: '{"collection":[],"pagination":{}}' } : reply;
    };
    const result = await backfill([], { send });
    expect([result.code, result.stderr]).toEqual([11, expect.stringContaining('may not show all bookings yet')]);
  });
});

describe('webhooks backfill sends nothing', () => {
  const wrong: Record<string, [words: (home: string) => string[], code: number, says: RegExp]> = {
    'over http to another machine': [
      () => ['--forward-to', 'http://hooks.example/'],
      2,
      /others may read the deliveries/,
    ],
    'to something else than a handler': [() => ['--forward-to', 'ftp://hooks.example/'], 2, /http or https URL/],
    'for a time to come': [() => ['--since', '+2h'], 2, /--since must be in the past/],
    'of events that nobody can see': [() => ['--events', 'invitee_no_show.created'], 2, /doesn't show when/],
    'of unknown events': [() => ['--events', 'invitee.moved'], 2, /must be some of/],
    'without a key': [(home) => ['--signing-key-file', join(home, 'none.key')], 3, /No signing key/],
    'with a log that is not there': [(home) => ['--received', join(home, 'none.jsonl')], 2, /no such file/],
    'with a log of something else': [
      (home) => {
        writeFileSync(join(home, 'log.txt'), `invitee.created\thttp://x/invitees/1\n${canary}@people.example\n{}\n`);
        return ['--received', join(home, 'log.txt')];
      },
      2,
      /lines 2, 3 of .*log\.txt/,
    ],
  };
  for (const [title, [words, code, says]] of Object.entries(wrong))
    test(title, async () => {
      const { backfill, arrived, home } = await openMissed(1);
      const result = await backfill(words(home));
      expect([result.code, result.stderr]).toEqual([code, expect.stringMatching(says)]);
      expect([arrived, result.stdout]).toEqual([[], '']);
    });

  test('without a yes, or with a damaged record', async () => {
    const { backfill, arrived, run, keyFile, home, clock, service } = await openMissed(2);
    const line = `webhooks backfill --since -1h --forward-to ${handlerUrl} --signing-key-file ${keyFile} --org current`;
    const unasked = await run(line, { home, clock, send: service });
    expect([unasked.code, unasked.stderr]).toEqual([
      12,
      expect.stringContaining('with personal data to http://127.0.0.1:3999/hooks'),
    ]);
    const { record } = sumOf(await backfill());
    writeFileSync(record, readFileSync(record, 'utf8').replace('"accepted"', '"accepteD"'));
    const before = arrived.length;
    const damaged = await backfill();
    expect([damaged.code, damaged.stderr]).toEqual([13, expect.stringContaining('edited at line 2')]);
    expect(arrived.length).toBe(before);
  });
});
