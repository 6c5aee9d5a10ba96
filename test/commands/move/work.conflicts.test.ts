import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { idIn } from '../../../src/base/uri.ts';
import { moveEvent, openMoves, recordOfMove } from '../../../src/commands/move/work.ts';
import { moves as kind } from '../../../src/commands/move/work-record.ts';
import type { MovePlan } from '../../../src/commands/move/work-steps.ts';
import type { HttpRequest, Send } from '../../../src/http/message.ts';
import { fileLedger } from '../../../src/state/ledger.ts';
import { withEarlierFiles } from '../../../src/state/redis/ledger.ts';
import { filesWith } from '../../support/files-world.ts';
import { gate } from '../../support/gate.ts';
import { lost } from '../../support/lost-replies.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { sample } from '../../support/tier.ts';
import { Killed } from '../harness.ts';
import { atNew, atOld, createMoves, type Machine, type Moves, wordsOf } from './moves.ts';

let moves: Moves;
let machine: Machine;

beforeAll(async () => {
  moves = await createMoves();
  machine = await moves.machineAt('files');
});

const phaseOf = async (plan: MovePlan) => (await recordOfMove(moves.contextOn(machine), plan.event))?.entry.phase;
let strangers = 0;
/** Someone else books that time. */
const take = async (type: string, start: string) => {
  strangers += 1;
  const invitee = { email: `stranger.${strangers}@people.example`, name: 'Stranger', timezone: 'Europe/Berlin' };
  return String((await moves.book(type, start, invitee)).record!.event);
};

// R56
describe('a new time that is refused', () => {
  test('leaves the old event, and no record', async () => {
    const plan = await moves.planned();
    await take(moves.solo, plan.to);
    const said = await moves.move(machine, plan);
    expect(said).toMatchObject({ said: 'conflict', error: { facts: { http: { status: 409, method: 'POST' } } } });
    expect([await phaseOf(plan), await moves.standing(plan)]).toEqual([undefined, atOld(plan)]);
  });

  test('after the cancellation is told once, also to a process that has planned the same before', async () => {
    const plan = await moves.planned('cancel-first');
    await take(moves.solo, plan.to);
    expect(wordsOf(await moves.move(machine, plan))).toContain('1 person is booked at the old time again');
    const late = await moves.move(machine, plan);
    expect([late.said, wordsOf(late)]).toEqual([
      'conflict',
      expect.stringContaining("The event is canceled, so it can't be moved; another process has ended a move of it"),
    ]);
    expect([await phaseOf(plan), await moves.standing(plan)]).toEqual([undefined, atOld(plan)]);
  });

  test('before another process begins the next move is not the end of that one', async () => {
    const plan = await moves.planned('cancel-first');
    const onStep = (step: string) => {
      if (step === 'after cancel') throw new Killed();
    };
    await expect(moves.move(machine, plan, { onStep })).rejects.toThrow(Killed);
    const context = moves.contextOn(machine);
    const begun = (await recordOfMove(context, plan.event))!;
    // What this process has read just before that.
    const ended = { ...begun, entry: { ...begun.entry, phase: 'ended', state: 'closed' } } as const;
    const stale = [{ last: begun.number, attempts: [ended] }];
    const find: typeof context.moves.find = async (digests) => stale.pop() ?? context.moves.find(digests);
    await moveEvent({ ...context, moves: { ...context.moves, find } }, plan);
    expect(await moves.standing(plan)).toEqual(atNew(plan));
  });

  test('for one of a group is told, and the same command goes on', async () => {
    const plan = await moves.planned('book-first', 2);
    const full: Send = moves.meanwhile('book', () => Promise.resolve());
    let posts = 0;
    const refuseSecond: Send = async (request) => {
      if (request.method === 'POST' && request.url.endsWith('/invitees') && ++posts === 2)
        return { status: 409, headers: {}, body: '{"title":"Already Exists","message":"no seats left"}' };
      return full(request);
    };
    const said = await moves.move(machine, plan, { send: refuseSecond });
    expect([said.said, wordsOf(said)]).toEqual([
      'partial',
      expect.stringMatching(
        /^1 of 2 people is booked at both times; .*no seats left.*run the same.* sched events cancel \w/,
      ),
    ]);
    expect(await moves.standing(plan)).toEqual([[plan.from, plan.to], [plan.from]]);
    expect((await moves.move(machine, plan)).said).toBe('moved');
    expect(await moves.standing(plan)).toEqual(atNew(plan));
  });

  test('after the cancellation books the old time again', async () => {
    const plan = await moves.planned('cancel-first', 2);
    await take(moves.group, plan.to).then(moves.cancel);
    const blocker = await take(moves.solo, plan.to);
    const said = await moves.move(machine, plan);
    expect([said.said, said.error?.message]).toEqual([
      'conflict',
      expect.stringMatching(/^The new time was refused, so 2 people are booked at the old time again, in event \w+$/),
    ]);
    expect([await phaseOf(plan), await moves.standing(plan)]).toEqual([undefined, atOld(plan)]);
    await moves.cancel(blocker);
  });

  test('after the cancellation books each person once, also if only one is refused', async () => {
    const plan = await moves.planned('cancel-first', 2);
    let posts = 0;
    const send: Send = async (request) => {
      if (request.method === 'POST' && request.url.endsWith('/invitees') && ++posts === 2)
        return { status: 409, headers: {}, body: '{}' };
      return moves.service(request);
    };
    const said = await moves.move(machine, plan, { send });
    expect([said.said, said.error?.message]).toEqual([
      'partial',
      expect.stringMatching(
        /^1 of 2 people is booked at the new time, and 1 of 2 people is booked at the old time again/,
      ),
    ]);
    expect(await moves.standing(plan)).toEqual([[plan.to], [plan.from]]);
  });

  test('together with the old one leaves nobody booked, says so, and takes another time', async () => {
    const plan = await moves.planned('cancel-first');
    await take(moves.solo, plan.to);
    const send = moves.meanwhile('book', () => take(moves.solo, plan.from));
    for (const options of [{ send }, {}]) {
      const said = await moves.move(machine, plan, options);
      expect([said.said, said.error?.message]).toEqual([
        'partial',
        'Not moved: the old event is canceled, and nobody is booked',
      ]);
      expect([await phaseOf(plan), await moves.standing(plan)]).toEqual(['back', [[]]]);
    }
    const other = { ...plan, to: plan.third };
    expect((await moves.move(machine, other)).said).toBe('moved');
    expect(await moves.standing(other)).toEqual(atNew(other));
  });

  const backSteps = ['claim PHASE', 'claim booking entry', 'book', 'verdict'];
  const steps = [...['claim back', ...backSteps.map((step) => step.replace('PHASE', 'back')), 'claim ended']].flatMap(
    (step) => [`before ${step}`, `after ${step}`],
  );

  test.each(sample(steps, 1))('books the old time again once if it is killed: %s', async (step) => {
    const plan = await moves.planned('cancel-first');
    await take(moves.solo, plan.to);
    const nth = ['claim booking entry', 'book', 'verdict'].some((each) => step.endsWith(each)) ? 2 : 1;
    await moves.killAt(machine, plan, step, nth);
    const all = await moves.finish(machine, plan);
    expect(all.at(-1)!.said).toBe('conflict');
    expect(await moves.standing(plan)).toEqual(atOld(plan));
  });
});

// R56
test('a person who is booked at the new time while sched goes back stays there', async () => {
  const plan = await moves.planned('cancel-first');
  const blocker = await take(moves.solo, plan.to);
  await moves.killAt(machine, plan, 'after claim back');
  await moves.cancel(blocker);
  await moves.book(moves.solo, plan.to, plan.bookings[0]!.body.invitee);
  const writes: string[] = [];
  const said = await moves.move(machine, plan, { writes });
  expect([said.said, writes, await phaseOf(plan)]).toEqual(['already', [], 'done']);
  expect(await moves.standing(plan)).toEqual(atNew(plan));
});

// R56
describe('a read that is refused', () => {
  /** The token may no longer read the invitees of this event, or of any, from a moment on. */
  const refusing = (isOn: (request: HttpRequest) => boolean): Send => {
    let isRefused = false;
    return async (request) => {
      isRefused ||= isOn(request);
      if (isRefused && request.method === 'GET' && request.url.includes('/invitees'))
        return { status: 403, headers: {}, body: '{"title":"Permission Denied","message":"no"}' };
      return moves.service(request);
    };
  };

  test('is no refused booking: the old event stands, and the move stays open', async () => {
    const plan = await moves.planned();
    const said = await moves.move(machine, plan, { send: refusing(() => true) });
    expect([said.said, wordsOf(said)]).toEqual(['forbidden', expect.stringContaining('the old event stands')]);
    expect(await phaseOf(plan)).toBe('planned');
    expect((await moves.move(machine, plan)).said).toBe('moved');
  });

  test('after the cancellation does not book the old time again', async () => {
    const plan = await moves.planned('cancel-first');
    const writes: string[] = [];
    const said = await moves.move(machine, plan, {
      writes,
      send: refusing(({ url }) => url.endsWith('/cancellation')),
    });
    expect([said.said, writes]).toEqual(['forbidden', ['cancel']]);
    expect(said.error?.facts).toMatchObject({
      outcome: 'applied',
      reason: expect.stringContaining('the old event is canceled, and nobody is booked; run it again on this machine'),
    });
    expect((await moves.finish(machine, plan)).at(-1)!.said).toBe('moved');
    expect(await moves.standing(plan)).toEqual(atNew(plan));
  });
});

// R56
test.each(['book-first', 'cancel-first'] as const)(
  'a cancellation that is carried out late, and refused when it is repeated, counts as our own: %s',
  async (order) => {
    const plan = await moves.planned(order);
    let posts = 0;
    const send: Send = async (request) => {
      if (!request.url.endsWith('/cancellation')) return moves.service(request);
      posts += 1;
      if (posts === 1) throw lost();
      await moves.service(request);
      return moves.service(request);
    };
    expect((await moves.move(machine, plan, { send })).said).toBe('moved');
    expect([posts, await moves.standing(plan)]).toEqual([2, atNew(plan)]);
  },
);

// R56
test('a late cancellation of a killed process counts as our own, also while people are looked up', async () => {
  const plan = await moves.planned('book-first', 2);
  await moves.killAt(machine, plan, 'after claim canceling');
  // The second person is no longer booked, so the rerun books again, and finds the old event canceled.
  const other = (await recordOfMove(moves.contextOn(machine), plan.event))!.entry.event!;
  await moves.cancel(other);
  let reads = 0;
  const send: Send = async (request) => {
    const isList = request.method === 'GET' && request.url.includes(`${idIn(plan.event)}/invitees`);
    if (isList && ++reads === 1) await moves.cancel(plan.event);
    return moves.service(request);
  };
  const said = await moves.move(machine, plan, { send });
  expect([said.said, wordsOf(said)]).toEqual(['conflict', expect.stringContaining('the new event, ')]);
  expect([await phaseOf(plan), await moves.standing(plan)]).toEqual([undefined, [[], []]]);
});

// R56
describe('another target', () => {
  test.each(['book-first', 'cancel-first'] as const)('replaces the first if nothing is booked: %s', async (order) => {
    const plan = await moves.planned(order);
    await moves.killAt(machine, plan, order === 'book-first' ? 'before claim booking entry' : 'after claim booking');
    const other = { ...plan, to: plan.third };
    expect((await moves.move(machine, other)).said).toBe('moved');
    expect(await moves.standing(other, [plan.third, plan.to])).toEqual([[plan.third]]);
    expect(await moves.move(machine, plan)).toMatchObject({
      said: 'conflict',
      error: { facts: { hint: { command: ['events', 'move', expect.any(String)], flags: { to: plan.to } } } },
    });
  });

  test.each(['book-first', 'cancel-first'] as const)('is refused if the first one is booked: %s', async (order) => {
    const plan = await moves.planned(order);
    await moves.killAt(machine, plan, 'after verdict');
    const said = await moves.move(machine, { ...plan, to: plan.third });
    expect(said).toMatchObject({
      said: 'conflict',
      error: { facts: { hint: { command: ['events', 'move', idIn(plan.event), '--to', plan.to] } } },
    });
    expect(wordsOf(said)).toMatch(/finish that move, or: sched events cancel \w+/);
    expect((await moves.move(machine, plan)).said).toBe(order === 'book-first' ? 'moved' : 'already');
    expect(await moves.standing(plan, [plan.third])).toEqual(atNew(plan));
  });

  test('is refused if the old time is booked again', async () => {
    const plan = await moves.planned('cancel-first');
    await take(moves.solo, plan.to);
    await moves.killAt(machine, plan, 'after verdict', 2);
    expect((await moves.move(machine, { ...plan, to: plan.third })).said).toBe('conflict');
    expect(await moves.standing(plan, [plan.third])).toEqual(atOld(plan));
  });

  test('waits while it is unknown whether the first one is booked', async () => {
    const plan = await moves.planned();
    await moves.killAt(machine, plan, 'before book');
    const other = { ...plan, to: plan.third };
    const all = await moves.finish(machine, other);
    expect(all.map(({ said }) => said)).toEqual(['outcome-unknown', 'moved']);
    expect(await moves.standing(plan, [plan.third])).toEqual([[plan.third]]);
  });
});

// R56
describe('two processes with one move', () => {
  /** Stops a process right before its booking leaves. Returns how to let it go on, and what it says then. */
  const pause = async (on: Machine, plan: MovePlan, step: string, nth = 1) => {
    const reached = gate();
    const free = gate();
    let left = nth;
    const context = moves.contextOn(on);
    const { claim } = context.moves;
    context.moves.claim = async (kept) => {
      if (kept.entry.phase === step && --left === 0) {
        reached.release();
        await free.promise;
      }
      return claim(kept);
    };
    const writes: string[] = [];
    const send = context.booking.client.write;
    context.booking.client = {
      ...context.booking.client,
      write: (operation, input, beforeSend) =>
        send(operation, input, async () => {
          await beforeSend?.();
          writes.push(operation.path);
        }),
    };
    moves.running.add(context.booking.pid);
    const ended = moveEvent(context, plan).then(
      ({ how }) => how,
      (error) => [error.message, error.facts.reason],
    );
    await reached.promise;
    return {
      pid: context.booking.pid,
      writes,
      resume: () => {
        free.release();
        return ended;
      },
    };
  };

  test('on the same machine: the second is refused and names the first', async () => {
    const plan = await moves.planned();
    const first = await pause(machine, plan, 'planned', 2);
    const second = await moves.move(machine, plan);
    expect([second.said, second.error?.message]).toEqual([
      'conflict',
      `Process ${first.pid} is moving this event right now`,
    ]);
    expect(await first.resume()).toBe('moved');
    expect(await moves.standing(plan)).toEqual(atNew(plan));
  });

  test.each([
    ['book-first', 'planned', 2],
    ['cancel-first', 'booking', 2],
    ['cancel-first', 'canceling', 1],
  ] as const)(
    'on two machines: the second takes over later, and the first sends nothing more: %s %s',
    async (...at) => {
      const [order, step, nth] = at;
      const plan = await moves.planned(order);
      const first = await pause(await moves.machineAt('redis'), plan, step, nth);
      const sent = [...first.writes];
      const other = await moves.machineAt('redis');
      const early = await moves.move(other, plan);
      expect(early).toMatchObject({ said: 'outcome-unknown', error: { facts: { retryAfterSeconds: 150 } } });
      expect(wordsOf(early)).toMatch(
        /^Process \d+ on machine \d+ may be moving this event right now; it can be taken over in 150/,
      );
      await moves.wait();
      expect((await moves.move(other, plan)).said).toBe('moved');
      expect(await first.resume()).toEqual(['Another sched process has taken over this move', undefined]);
      expect(first.writes).toEqual(sent);
      expect(await moves.standing(plan)).toEqual(atNew(plan));
    },
  );

  test.each(['files', 'redis'] as const)('at the same time: one moves the event, %s', async (place) => {
    const plan = await moves.planned('book-first', 2);
    const on = await moves.machineAt(place);
    const others = place === 'files' ? [on, on] : [await moves.machineAt(place), await moves.machineAt(place)];
    const said = await Promise.all([on, ...others].map((each) => moves.move(each, plan)));
    const words = said.map((each) => each.said);
    expect(words.filter((each) => each === 'moved')).toHaveLength(1);
    for (const each of words) expect(['moved', 'already', 'conflict', 'outcome-unknown']).toContain(each);
    expect(await moves.standing(plan)).toEqual(atNew(plan));
  });
});

// R56
describe('a person who joins the old event meanwhile', () => {
  test('keeps it from being canceled, until the next run moves all', async () => {
    const plan = await moves.planned('book-first', 2);
    const first = { ...plan, bookings: plan.bookings.slice(0, 1) };
    const said = await moves.move(machine, first);
    expect([said.said, wordsOf(said)]).toEqual([
      'partial',
      expect.stringMatching(/^1 person is booked at both times; Guest \d+ joined the old event meanwhile/),
    ]);
    expect(await moves.standing(plan)).toEqual([[plan.from, plan.to], [plan.from]]);
    expect((await moves.move(machine, plan)).said).toBe('moved');
    expect(await moves.standing(plan)).toEqual(atNew(plan));
  });

  test('keeps it from being canceled first', async () => {
    const plan = await moves.planned('cancel-first', 2);
    const said = await moves.move(machine, { ...plan, bookings: plan.bookings.slice(1) });
    expect([said.said, wordsOf(said)]).toEqual([
      'conflict',
      expect.stringMatching(/^Guest \d+ joined the old event meanwhile, so it was not moved$/),
    ]);
    expect([await phaseOf(plan), await moves.standing(plan)]).toEqual([undefined, atOld(plan)]);
  });
});

// R56
// R56
test('a process that planned the move before somebody joined books them too, if another one was killed', async () => {
  const plan = await moves.planned('cancel-first', 2);
  await moves.killAt(machine, plan, 'after verdict', 1);
  expect([await phaseOf(plan), await moves.standing(plan)]).toEqual(['booking', [[plan.to], []]]);
  const earlier = { ...plan, bookings: plan.bookings.slice(0, 1) };
  const said = (await moves.finish(machine, earlier)).at(-1)!;
  expect([said.said, await moves.standing(plan)]).toEqual(['moved', atNew(plan)]);
});

test('an open move is listed, and a machine that begins to share its state finishes it', async () => {
  const own = await moves.machineAt('files');
  const shared = await moves.machineAt('redis');
  const plan = await moves.planned('cancel-first');
  await moves.killAt(own, plan, 'after claim booking');
  const both = {
    host: shared.host,
    ledgerOf: ((each) => withEarlierFiles(shared.ledgerOf(each), own.ledgerOf(each))) as Machine['ledgerOf'],
  };
  const listed = await openMoves(moves.contextOn(both));
  expect(listed.map(({ entry }) => [entry.old, entry.phase])).toEqual([[plan.event, 'booking']]);
  expect((await moves.move(both, plan)).said).toBe('moved');
  expect(await openMoves(moves.contextOn(both))).toEqual([]);
  expect(await moves.standing(plan)).toEqual(atNew(plan));
});

test('the record of a move can be damaged, and then nothing is sent', async () => {
  const plan = await moves.planned();
  const directory = join(temporaryDirectory(), kind.name);
  const ledger = fileLedger({ directory, world: filesWith() }, kind);
  const broken = {
    host: 'here',
    ledgerOf: ((each) => (each.name === kind.name ? ledger : machine.ledgerOf(each))) as Machine['ledgerOf'],
  };
  await moves.killAt(broken, plan, 'after claim planned');
  const [open] = await ledger.open('http://127.0.0.1:4010');
  await ledger.replace({ ...open!, entry: { ...open!.entry, phase: 'lost' as never } });
  const writes: string[] = [];
  const said = await moves.move(broken, plan, { writes });
  expect([said.said, said.error?.message, writes]).toEqual(['environment', 'The record of a move is damaged', []]);
});
