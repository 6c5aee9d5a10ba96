import { beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../../../src/base/json.ts';
import { idIn } from '../../../src/base/uri.ts';
import { moveEvent, openMoves, recordOfMove } from '../../../src/commands/move/work.ts';
import { moves as kind, type MoveOrder } from '../../../src/commands/move/work-record.ts';
import type { MovePlan } from '../../../src/commands/move/work-steps.ts';
import type { Send } from '../../../src/http/message.ts';
import { ledgerTrouble } from '../../../src/state/ledger-entry.ts';
import { lost } from '../../support/lost-replies.ts';
import { sample } from '../../support/tier.ts';
import { atNew, atOld, createMoves, type Machine, type Moves, wordsOf } from './moves.ts';

let moves: Moves;
let machine: Machine;

beforeAll(async () => {
  moves = await createMoves();
  machine = await moves.machineAt('files');
});

/** The steps of a whole move. */
const perPerson = ['claim PHASE', 'claim booking entry', 'book', 'verdict'];
const stepsOf = (order: MoveOrder, people: number): string[] => {
  const booked = (phase: string) =>
    Array.from({ length: people }, () => perPerson.map((step) => step.replace('PHASE', phase))).flat();
  const all =
    order === 'book-first'
      ? ['claim planned', ...booked('planned'), 'claim canceling', 'cancel', 'claim done']
      : ['claim planned', 'claim canceling', 'cancel', 'claim booking', ...booked('booking'), 'claim done'];
  return all.flatMap((step) => [`before ${step}`, `after ${step}`]);
};

const orders = ['book-first', 'cancel-first'] as const;

// R56; test/simulation/ kills moves at any step.
describe('a move that is killed', () => {
  test.each([
    ['files', 'book-first', 'after book', ['moved']],
    ['redis', 'cancel-first', 'after cancel', ['outcome-unknown', 'moved']],
  ] as const)('ends with one booking per person: %s, %s, %s', async (place, order, step, words) => {
    const plan = await moves.planned(order, 2);
    const first = await moves.machineAt(place);
    const writes: string[] = [];
    await moves.killAt(first, plan, step, 1, writes);
    // With Redis, each rerun comes from another machine.
    const said = await moves.finish(place === 'files' ? first : () => moves.machineAt(place), plan, { writes });
    expect(said.map((each) => each.said)).toEqual(words);
    expect(await moves.standing(plan)).toEqual(atNew(plan));
    expect(writes.toSorted()).toEqual(['book', 'book', 'cancel']);
    expect((await recordOfMove(moves.contextOn(first), plan.event))?.entry).toMatchObject({
      phase: 'done',
      state: 'closed',
    });
    expect((await moves.move(first, plan)).said).toBe('already');
  });

  test.each(orders)('takes these steps: %s', async (order) => {
    const steps: string[] = [];
    await moves.move(machine, await moves.planned(order, 2), { onStep: (step) => steps.push(step) });
    expect(steps).toEqual(stepsOf(order, 2));
  });

  test('goes on by look-up where the record is lost, if it books first', async () => {
    const plan = await moves.planned('book-first', 2);
    await moves.killAt(machine, plan, 'after book');
    expect((await moves.move(await moves.machineAt('files'), plan)).said).toBe('moved');
    expect(await moves.standing(plan)).toEqual(atNew(plan));
  });

  test('books the second of a group, too, after it is certain that nothing was sent', async () => {
    const plan = await moves.planned('book-first', 2);
    await moves.killAt(machine, plan, 'before book', 2);
    expect((await moves.finish(machine, plan)).map(({ said }) => said)).toEqual(['outcome-unknown', 'moved']);
    expect(await moves.standing(plan)).toEqual(atNew(plan));
  });

  test('leaves the old event while it is unknown whether the new time is booked', async () => {
    const plan = await moves.planned();
    await moves.killAt(machine, plan, 'before book');
    const again = await moves.move(machine, plan);
    expect(again).toMatchObject({ said: 'outcome-unknown', error: { facts: { retryAfterSeconds: 150, hint: {} } } });
    expect(wordsOf(again)).toContain('the old event stands');
    expect(await moves.standing(plan)).toEqual(atOld(plan));
  });

  test('shows the new event and its people, also when it was done before', async () => {
    const plan = await moves.planned('book-first', 2);
    const { moved } = await moves.move(machine, plan);
    const again = await moves.move(machine, plan);
    expect(again.moved).toEqual({ ...moved, how: 'already', at: moves.clock.now() });
    expect(moved).toMatchObject({
      event: { start_time: plan.to, status: 'active' },
      invitees: plan.bookings.map(({ body }) => ({ email: body.invitee.email })),
    });
    const entries = await moves.contextOn(machine).booking.ledger.between(Date.parse(plan.to), Date.parse(plan.to) + 1);
    expect(entries.map(({ entry }) => entry.moves).slice(-2)).toEqual([plan.event, plan.event]);
  });
});

// R56
describe('a lost reply', () => {
  const lose = (kind: 'book' | 'cancel', isDone: boolean): Send =>
    moves.meanwhile(kind, async (request) => {
      if (isDone) await moves.service(request);
      throw lost();
    });

  test.each(orders)('to a booking that was made is looked up: %s', async (order) => {
    const plan = await moves.planned(order);
    expect((await moves.move(machine, plan, { send: lose('book', true) })).said).toBe('moved');
    expect(await moves.standing(plan)).toEqual(atNew(plan));
  });

  test.each([
    ['book-first', 'the old event stands', atOld],
    ['cancel-first', 'the old event is canceled, and nobody is booked; run it again on this machine', () => [[]]],
  ] as const)('to a booking that was not made is told: %s', async (order, words, standing) => {
    const plan = await moves.planned(order);
    const said = await moves.move(machine, plan, { send: lose('book', false) });
    expect([said.said, wordsOf(said)]).toEqual(['outcome-unknown', expect.stringContaining(words)]);
    expect(await moves.standing(plan)).toEqual(standing(plan));
    expect((await moves.finish(machine, plan)).at(-1)?.said).toBe('moved');
    expect(await moves.standing(plan)).toEqual(atNew(plan));
  });

  test.each(orders.flatMap((order) => [true, false].map((isDone) => [order, isDone] as const)))(
    'to the cancellation is read back: %s, done: %s',
    async (order, isDone) => {
      const plan = await moves.planned(order);
      expect((await moves.move(machine, plan, { send: lose('cancel', isDone) })).said).toBe('moved');
      expect(await moves.standing(plan)).toEqual(atNew(plan));
    },
  );

  test('to a cancellation that stays unknown says that the old event may be canceled', async () => {
    const plan = await moves.planned();
    const send: Send = async (request) => {
      if (request.url.endsWith('/cancellation')) throw lost();
      return moves.service(request);
    };
    const said = await moves.move(machine, plan, { send });
    expect([said.said, wordsOf(said)]).toEqual([
      'outcome-unknown',
      expect.stringContaining('the old event may be canceled, and 1 person is booked at the new time'),
    ]);
    expect((await moves.move(machine, plan)).said).toBe('moved');
    expect(await moves.standing(plan)).toEqual(atNew(plan));
  });
});

// R56
describe('an old event that someone else cancels', () => {
  const byOthers = 'Someone else canceled the old event';

  test.each(orders)('before anything is booked is not booked anew: %s', async (order) => {
    const plan = await moves.planned(order);
    await moves.killAt(machine, plan, 'after claim planned');
    await moves.cancel(plan.event);
    const writes: string[] = [];
    const said = await moves.move(machine, plan, { writes });
    expect([said.said, said.error?.message, writes]).toEqual(['conflict', byOthers, []]);
    expect(await openMoves(moves.contextOn(machine))).not.toContainEqual(
      expect.objectContaining({ entry: expect.objectContaining({ old: plan.event }) }),
    );
    expect(await recordOfMove(moves.contextOn(machine), plan.event)).toBeUndefined();
  });

  test('right before a booking is not booked', async () => {
    const plan = await moves.planned('book-first', 2);
    const cancelLate = moves.meanwhile('book', () => moves.cancel(plan.event));
    const writes: string[] = [];
    const said = await moves.move(machine, plan, { send: cancelLate, writes });
    // The first POST was on its way.
    expect([said.said, writes]).toEqual(['conflict', ['book']]);
    expect(wordsOf(said)).toMatch(/1 of 2 people is booked at the new time/);
    expect(await moves.standing(plan)).toEqual([[plan.to], []]);
  });

  test('before the cancellation leaves the new event', async () => {
    const plan = await moves.planned();
    const said = await moves.move(machine, plan, { send: moves.meanwhile('cancel', () => moves.cancel(plan.event)) });
    expect(said).toMatchObject({
      said: 'conflict',
      error: { message: byOthers, facts: { hint: { command: ['events', 'cancel', expect.any(String)] } } },
    });
    expect(await moves.standing(plan)).toEqual(atNew(plan));
  });

  test('before a cancellation that comes first is not booked', async () => {
    const plan = await moves.planned('cancel-first');
    const writes: string[] = [];
    const send = moves.meanwhile('cancel', () => moves.cancel(plan.event));
    expect(await moves.move(machine, plan, { send, writes })).toMatchObject({ said: 'conflict' });
    expect([writes, await moves.standing(plan)]).toEqual([['cancel'], [[]]]);
  });
});

// R56: a record never stands for the service.
describe('a move that is done, and run again', () => {
  /** The requests for the new event of a move get this reply. */
  const answering = async (plan: MovePlan, answer: Send): Promise<Send> => {
    const { entry } = (await recordOfMove(moves.contextOn(machine), plan.event))!;
    return async (request) => {
      const isNew = new URL(request.url).pathname.endsWith(`/${idIn(entry.event)}`);
      return isNew ? answer(request) : moves.service(request);
    };
  };
  const status = (code: number) => async () => ({ status: code, headers: {}, body: '{}' });
  const again = async (plan: MovePlan, send?: Send) => {
    const writes: string[] = [];
    const said = await moves.move(machine, plan, { writes, ...(send && { send }) });
    return { said: said.said, writes, words: wordsOf(said), stands: await moves.standing(plan) };
  };
  const stranger = { email: 'stranger@people.example', name: 'Stranger', timezone: 'Europe/Berlin' };

  test.each([...orders.map((order) => [order, 1] as const), ['book-first', 2] as const])(
    'moves anew where the service shows an earlier state: %s, %i',
    async (order, people) => {
      const plan = await moves.planned(order, people);
      const restore = moves.world.saveService();
      await moves.move(machine, plan);
      await restore();
      // Somebody gets the ID that the new event had.
      await moves.book(moves.solo, plan.third, stranger);
      const { said, writes, stands } = await again(plan);
      expect([said, writes.toSorted()]).toEqual(['moved', [...plan.bookings.map(() => 'book'), 'cancel']]);
      expect(stands).toEqual(atNew(plan));
      expect((await again(plan)).said).toBe('already');
    },
  );

  test.each(orders)('cancels the old event where both stand: %s', async (order) => {
    const plan = await moves.planned('book-first', 2);
    let restore: () => Promise<unknown> = async () => {};
    const send = moves.meanwhile('cancel', async () => {
      restore = moves.world.saveService();
    });
    await moves.move(machine, plan, { send });
    await restore();
    expect(await moves.standing(plan)).toEqual(plan.bookings.map(() => [plan.from, plan.to]));
    expect(await again({ ...plan, order })).toMatchObject({ said: 'moved', writes: ['cancel'], stands: atNew(plan) });
  });

  test('says what stands if the new event was canceled since, also for another time', async () => {
    const plan = await moves.planned();
    const { moved } = await moves.move(machine, plan);
    await moves.cancel(String(moved!.event.uri));
    for (const each of [plan, { ...plan, to: plan.third }])
      expect(await again(each)).toMatchObject({
        said: 'conflict',
        writes: [],
        words: expect.stringMatching(
          /^This event was moved to \S+, but that booking no longer stands; the old event is canceled, and the new event, \w+, was canceled at 2/,
        ),
        stands: [[]],
      });
  });

  test('says what stands if the new event is not there', async () => {
    const plan = await moves.planned();
    await moves.move(machine, plan);
    expect(await again(plan, await answering(plan, status(404)))).toMatchObject({
      said: 'conflict',
      writes: [],
      words: expect.stringContaining("the service doesn't show the new event"),
    });
  });

  test.each([
    ['forbidden', status(403)],
    ['unavailable', status(503)],
  ] as const)('says nothing about an event that cannot be read: %s', async (said, answer) => {
    const plan = await moves.planned();
    const restore = moves.world.saveService();
    await moves.move(machine, plan);
    expect(await again(plan, await answering(plan, answer))).toMatchObject({ said, writes: [], stands: atNew(plan) });
    const send = await answering(plan, answer);
    await restore();
    expect(await again(plan, send)).toMatchObject({ said, writes: [], stands: atOld(plan) });
  });

  test('names those who have left the new event since, and says so if nobody is left', async () => {
    const plan = await moves.planned('book-first', 2);
    const { moved } = await moves.move(machine, plan);
    const leave = (number: number) => {
      const canceled = new Set(moved!.invitees.slice(0, number).map(({ uri }) => uri));
      return answering(plan, moves.service).then(
        (): Send => async (request) => {
          const reply = await moves.service(request);
          if (!request.url.includes('/invitees')) return reply;
          const { collection = [], ...rest } = JSON.parse(reply.body) as { collection?: Json[] };
          const people = collection.map((each) => (canceled.has(each.uri) ? { ...each, status: 'canceled' } : each));
          return { ...reply, body: JSON.stringify({ ...rest, collection: people }) };
        },
      );
    };
    const one = await moves.move(machine, plan, { send: await leave(1) });
    expect(one.moved).toMatchObject({ how: 'already', formerInvitees: [plan.bookings[0]!.name] });
    expect(one.moved!.invitees.map(({ uri }) => uri)).toEqual([moved!.invitees[1]!.uri]);
    expect(await again(plan, await leave(2))).toMatchObject({
      said: 'conflict',
      words: expect.stringContaining('nobody who was moved is booked in the new event'),
    });
  });

  test('waits where it was never confirmed that the new time was booked', async () => {
    const plan = await moves.planned();
    const restore = moves.world.saveService();
    const context = moves.contextOn(machine);
    context.booking.ledger.replace = async () => {
      throw ledgerTrouble(kind as never, '/state: EIO', '');
    };
    await moveEvent(context, plan);
    await restore();
    expect(await again(plan)).toMatchObject({ said: 'outcome-unknown', writes: [], stands: atOld(plan) });
    expect((await moves.finish(machine, plan)).at(-1)!.said).toBe('moved');
    expect(await moves.standing(plan)).toEqual(atNew(plan));
  });

  test.each(['files', 'redis'] as const)('by two processes at once moves it once: %s', async (place) => {
    const plan = await moves.planned();
    const on = [await moves.machineAt(place)];
    on.push(place === 'files' ? on[0]! : await moves.machineAt(place));
    const restore = moves.world.saveService();
    await moves.move(on[0]!, plan);
    const writes: string[] = [];
    await restore();
    const said = (await Promise.all(on.map((each) => moves.move(each, plan, { writes })))).map((each) => each.said);
    expect(said.filter((each) => each === 'moved')).toHaveLength(1);
    for (const each of said) expect(['moved', 'already', 'conflict', 'outcome-unknown']).toContain(each);
    expect([writes.toSorted(), await moves.standing(plan)]).toEqual([['book', 'cancel'], atNew(plan)]);
  });
});

// R56: a record never stands for the service.
describe('an unfinished move', () => {
  test.each([
    ['book-first', 'after claim canceling'],
    ['cancel-first', 'after claim booking'],
    ['cancel-first', 'after book'],
  ] as const)('begins again where the service shows an earlier state: %s, %s', async (order, step) => {
    const plan = await moves.planned(order);
    const restore = moves.world.saveService();
    await moves.killAt(machine, plan, step);
    await restore();
    const said = (await moves.finish(machine, plan)).map((each) => each.said);
    expect([said.at(-1), await moves.standing(plan)]).toEqual(['moved', atNew(plan)]);
  });

  test('whose new event somebody has canceled says so', async () => {
    const plan = await moves.planned();
    await moves.killAt(machine, plan, 'after cancel');
    const { entry } = (await recordOfMove(moves.contextOn(machine), plan.event))!;
    await moves.cancel(entry.event!);
    const writes: string[] = [];
    const said = await moves.move(machine, plan, { writes });
    expect([said.said, writes, await moves.standing(plan)]).toEqual(['conflict', [], [[]]]);
    expect(wordsOf(said)).toContain('that booking no longer stands');
    expect(await recordOfMove(moves.contextOn(machine), plan.event)).toBeUndefined();
  });
});

// R56
describe('a record that cannot be written', () => {
  // The writes of a move: those of stepsOf, without the requests.
  const writesOf = (order: MoveOrder, people: number): string[] =>
    stepsOf(order, people)
      .filter((step) => step.startsWith('before ') && !['before book', 'before cancel'].includes(step))
      .map((step) => step.slice('before '.length));
  const all = orders.flatMap((order) =>
    [1, 2].flatMap((people) =>
      writesOf(order, people).flatMap((write, index) =>
        ['once', 'always'].map((how) => ({ order, people, write, index, how })),
      ),
    ),
  );

  test.each(sample(all, 1, ({ order, how }) => `${order} ${how}`))(
    'says what stands, and the same command finishes the move: $order, $people, $write ($index), $how',
    async ({ order, people, index, how }) => {
      const plan = await moves.planned(order, people);
      let count = 0;
      const isFull = () => {
        count += 1;
        return how === 'once' ? count === index + 1 : count > index;
      };
      const said = await moves.move(machine, plan, { isFull });
      const stands = await moves.standing(plan);
      const atNewTime = stands.filter((starts) => starts.includes(plan.to)).length;
      const isCanceled = stands.every((starts) => !starts.includes(plan.from));
      const words = wordsOf(said);
      if (said.said === 'moved') {
        expect(stands).toEqual(atNew(plan));
      } else {
        expect([said.said, said.error?.facts.outcome]).toEqual([
          'environment',
          isCanceled || atNewTime > 0 ? 'applied' : 'not-sent',
        ]);
        // The first write begins the move, so nothing is hidden by another directory.
        expect(words.includes('SCHED_STATE_DIR')).toBe(index === 0);
        const who =
          atNewTime === 0 ? 'nobody is' : atNewTime === 1 ? /1 (person|of 2 people) is/.source : '2 people are';
        if (isCanceled) expect(words).toMatch(new RegExp(`the old event is canceled, and ${who} booked`));
        else if (atNewTime > 0) expect(words).toMatch(new RegExp(`${who} booked at both times`));
        else if (index > 0) expect(words).toContain('the old event stands');
      }
      const again = await moves.finish(machine, plan);
      expect(['moved', 'already'], JSON.stringify(again)).toContain(again.at(-1)!.said);
      expect(await moves.standing(plan)).toEqual(atNew(plan));
      expect((await recordOfMove(moves.contextOn(machine), plan.event))?.entry.phase).toBe('done');
    },
  );

  test('of a move that is done, is said beside the result', async () => {
    const plan = await moves.planned();
    const isFull = () => false;
    const context = moves.contextOn(machine, { isFull });
    const { claim } = context.moves;
    context.moves.claim = async (kept) => {
      if (kept.entry.phase === 'done') throw ledgerTrouble(kind, '/state: ENOSPC', '');
      return claim(kept);
    };
    expect(await moveEvent(context, plan)).toMatchObject({ how: 'moved', unnotedReason: '/state: ENOSPC' });
  });
});
