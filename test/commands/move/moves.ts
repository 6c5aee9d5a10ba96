import { join } from 'node:path';
import { events } from '../../../src/api/events.ts';
import { invitees } from '../../../src/api/invitees.ts';
import { users } from '../../../src/api/users.ts';
import { SchedError } from '../../../src/base/errors.ts';
import type { Json } from '../../../src/base/json.ts';
import type { Clock } from '../../../src/base/system.ts';
import { idIn } from '../../../src/base/uri.ts';
import { adviceText, noAccount } from '../../../src/cli/messages/suggested-line.ts';
import { createClient } from '../../../src/client/client.ts';
import { gather } from '../../../src/client/paginate.ts';
import { withContent } from '../../../src/client/read-reply.ts';
import { moveEvent } from '../../../src/commands/move/work.ts';
import type { Moved } from '../../../src/commands/move/work-end.ts';
import { moves } from '../../../src/commands/move/work-record.ts';
import type { MoveContext, MovePlan } from '../../../src/commands/move/work-steps.ts';
import { callBeforeSend, type HttpRequest, type Send } from '../../../src/http/message.ts';
import { serviceClock } from '../../../src/http/service-time.ts';
import { clock as realClock } from '../../../src/node/clock.ts';
import { fileLedger, type Ledger } from '../../../src/state/ledger.ts';
import { bookings, type CommonEntry, type LedgerKind, ledgerTrouble } from '../../../src/state/ledger-entry.ts';
import type { OwnersRecord } from '../../../src/state/lock.ts';
import { redisLedger } from '../../../src/state/redis/ledger.ts';
import { redisOwners } from '../../../src/state/redis/lock.ts';
import { openConnection, type RedisConnection } from '../../../src/state/redis/redis-client.ts';
import { createServerClock } from '../../../src/state/redis/server-clock.ts';
import { filesWith } from '../../support/files-world.ts';
import { slot, typesOf } from '../../support/lost-replies.ts';
import { startRedis, withServerTime } from '../../support/redis.ts';
import type { TestWorld } from '../../support/run.ts';
import { createWorld } from '../../support/run.ts';
import { closeLater, temporaryDirectory } from '../../support/temporary.ts';
import { Killed, KillSwitch } from '../harness.ts';

/** Where the ledgers are. Machines with their own files know nothing of each other. */
export type Place = 'files' | 'redis';

let connection: Promise<RedisConnection> | undefined;
const connect = (): Promise<RedisConnection> => {
  if (connection === undefined) {
    connection = startRedis().then(({ port }) =>
      openConnection({ host: '127.0.0.1', port, isTls: false, database: 0 }, realClock),
    );
    // The server ends with the test file, and the next file may run in this process, too.
    closeLater(() => {
      connection = undefined;
    });
  }
  return connection;
};

/** A ledger that can be killed before and after each write. */
export const mortal = <Entry extends CommonEntry>(
  ledger: Ledger<Entry>,
  step: (work: string) => void,
): Ledger<Entry> => ({
  ...ledger,
  claim: async (kept) => {
    const what = 'phase' in kept.entry ? kept.entry.phase : 'booking entry';
    step(`before claim ${what}`);
    const isFirst = await ledger.claim(kept);
    step(`after claim ${what}`);
    return isFirst;
  },
  replace: async (kept) => {
    step('before verdict');
    await ledger.replace(kept);
    step('after verdict');
  },
});

/** A ledger on a full disk: its writes fail from `first` on, or only that one. Each process has one count. */
export const full = <Entry extends CommonEntry>(
  ledger: Ledger<Entry>,
  kind: LedgerKind<Entry>,
  isFull: () => boolean,
): Ledger<Entry> => {
  const refuse = () => {
    if (isFull()) throw ledgerTrouble(kind, '/state: ENOSPC', 'set SCHED_STATE_DIR to another directory');
  };
  return {
    ...ledger,
    claim: async (kept) => {
      refuse();
      return ledger.claim(kept);
    },
    replace: async (kept) => {
      refuse();
      await ledger.replace(kept);
    },
  };
};

export interface ProcessOptions {
  killSwitch?: KillSwitch;
  /** Counts a write to a ledger. Returns whether the disk is full. */
  isFull?(): boolean;
  /** Replaces the network. */
  send?: Send;
  onStep?(step: string): void;
  /** Gets the requests that change something. */
  writes?: string[];
}

/** What a process said: its result, or the category of its error. */
export interface Said {
  said: Moved['how'] | SchedError['category'];
  moved?: Moved;
  error?: SchedError;
}

export const isWrite = ({ method }: HttpRequest): boolean => method === 'POST';
export const nameOf = ({ url }: HttpRequest): string => (url.endsWith('/cancellation') ? 'cancel' : 'book');

/** A machine, or a home directory on it. */
export interface Machine {
  host: string;
  /** For its other files. */
  directory?: string;
  ledgerOf<Entry extends CommonEntry>(kind: LedgerKind<Entry>): Ledger<Entry>;
  /** The owners of a lock that machines share. */
  ownersOf?(name: string): OwnersRecord;
}

export const atNew = ({ to, bookings: all }: MovePlan): string[][] => all.map(() => [to]);
export const atOld = ({ from, bookings: all }: MovePlan): string[][] => all.map(() => [from]);
export const wordsOf = ({ error }: Said): string =>
  [error?.message, error?.facts.reason, adviceText(error?.facts.advice ?? '', noAccount)].filter(Boolean).join('; ');

let lastPid = 1000;
let machines = 0;

/** Machines with ledgers in files, or in the same Redis. */
export const machineWith = async (place: Place, clock: Clock): Promise<Machine> => {
  machines += 1;
  const host = `machine ${machines}`;
  const directory = temporaryDirectory('machine');
  if (place === 'files')
    return {
      host,
      directory,
      ledgerOf: (kind) => fileLedger({ directory: join(directory, kind.name), world: filesWith() }, kind),
    };
  const shared = { connection: withServerTime(await connect(), clock), clock: createServerClock(clock), host };
  return {
    host,
    directory,
    ledgerOf: (kind) => redisLedger(shared, kind),
    ownersOf: (name) => redisOwners(shared, name),
  };
};

/** Other worlds have the same IDs. */
export const emptyRedis = async (): Promise<void> => {
  if (connection !== undefined) await (await connection).command('FLUSHALL');
};

/** A sandbox with events to move, and processes that move them. */
export const createMoves = async () => {
  const world: TestWorld = await createWorld();
  await emptyRedis();
  const { clock } = world;
  const time = serviceClock(clock);
  const authorized: Send = (request) =>
    world.service({ ...request, headers: { ...request.headers, authorization: `Bearer ${world.token}` } });
  const clientOver = (send: Send) => {
    const whole = withContent(callBeforeSend(time.layer(send)));
    return createClient({ baseUrl: 'http://127.0.0.1:4010', send: whole, sendPlain: whole });
  };
  const client = clientOver(authorized);
  const me = await client.call(users.me, {});
  const types = await typesOf(world);
  const isEasy = (type: (typeof types)[number]) => type.custom_questions.every(({ required }) => !required);
  const solo = types.find((type) => type.kind === 'solo' && type.pooling_type === null && isEasy(type))!.uri;
  const group = types.find((type) => type.kind === 'group' && isEasy(type))!.uri;
  const running = new Set<number>();
  let people = 0;

  const book = (event_type: string, start_time: string, invitee: Json) =>
    client.write(invitees.create, { body: { event_type, start_time, invitee } });

  const cancel = (event: string) => client.write(events.cancel, { path: { event: idIn(event) }, body: {} });

  /** Active events that start from `start` on, for so many milliseconds. */
  const activeFrom = (start: string, milliseconds: number): Promise<Json[]> => {
    const until = new Date(Date.parse(start) + milliseconds).toISOString();
    const window = { min_start_time: start, max_start_time: until, status: 'active' };
    return gather(client.pages(events.list, { query: { organization: String(me.current_organization), ...window } }));
  };

  /** The starts of three meetings of an empty working day, an hour or more apart. The first day is for `wait`. */
  let days = 0;
  const nextDay = async (): Promise<[string, string, string]> => {
    days = (days % 38) + 1;
    // In a new window of the rate limit.
    await clock.sleep(60_000);
    for (const { uri } of await activeFrom(slot(days * 5), 12 * 3_600_000)) await cancel(String(uri));
    return [slot(days * 5), slot(days * 5 + 2), slot(days * 5 + 4)];
  };

  /** A new event, and the plan to move it to a later time of the same day. `third` is a time that stays free. */
  const planned = async (order: MovePlan['order'] = 'book-first', count = 1): Promise<MovePlan & { third: string }> => {
    const type = count > 1 ? group : solo;
    const [from, until, third] = await nextDay();
    const all: MovePlan['bookings'] = [];
    let event = '';
    for (let each = 0; each < count; each += 1) {
      people += 1;
      const invitee = { email: `moved.${people}@people.example`, name: `Guest ${people}`, timezone: 'Europe/Berlin' };
      const { record } = await book(type, from, invitee);
      event = String(record!.event);
      all.push({
        invitee: String(record!.uri),
        name: invitee.name,
        body: { event_type: type, start_time: until, invitee },
      });
    }
    const personOf: MovePlan['personOf'] = ({ uri, name, email, timezone }) => ({
      invitee: String(uri),
      name: String(name),
      body: { event_type: type, start_time: until, invitee: { email: String(email), name, timezone } },
    });
    return { event, from, to: until, third, order, bookings: all, personOf, reason: 'Moved' };
  };

  const machineAt = (place: Place): Promise<Machine> => machineWith(place, clock);

  const contextOn = (
    { host, ledgerOf }: Machine,
    {
      killSwitch = new KillSwitch(),
      send = authorized,
      onStep = () => {},
      writes = [],
      isFull = () => false,
    }: ProcessOptions = {},
  ): MoveContext => {
    lastPid += 1;
    const pid = lastPid;
    const step = (work: string) => {
      onStep(work);
      killSwitch.next();
    };
    const mortalSend: Send = async (request) => {
      if (!isWrite(request)) return send(request);
      step(`before ${nameOf(request)}`);
      writes.push(nameOf(request));
      const reply = await send(request);
      step(`after ${nameOf(request)}`);
      return reply;
    };
    const interrupted = new AbortController().signal;
    const owner = { user: String(me.uri), organization: String(me.current_organization) };
    return {
      booking: {
        client: clientOver(mortalSend),
        ledger: mortal(full(ledgerOf(bookings), bookings, isFull), step),
        clock,
        interrupted,
        origin: 'http://127.0.0.1:4010',
        serviceTime: time.told,
        owner: async () => owner,
        timeoutMs: 30_000,
        pid,
        host,
        mayBeRunning: (entry) => (entry.host ?? host) !== host || (entry.pid !== pid && running.has(entry.pid)),
        applyPlanLimits: async () => {},
        onUnkept: () => {},
      },
      change: { clock, interrupted, random: () => 0.5, maxWaitMs: 60_000, onWait: () => {}, onRepeat: () => {} },
      moves: mortal(full(ledgerOf(moves), moves, isFull), step),
    };
  };

  /** Runs a process to its end, or until it is killed. */
  const move = async (machine: Machine, plan: MovePlan, options: ProcessOptions = {}): Promise<Said> => {
    const context = contextOn(machine, options);
    running.add(context.booking.pid);
    try {
      const moved = await moveEvent(context, plan);
      return { said: moved.how, moved };
    } catch (error) {
      if (!(error instanceof SchedError)) throw error;
      return { said: error.category, error };
    } finally {
      running.delete(context.booking.pid);
    }
  };

  /** Waits until an empty look-up proves something: time has passed, and the list has a newer event. */
  const wait = async (): Promise<void> => {
    await clock.sleep(151_000);
    people += 1;
    const person = { email: `newer.${people}@people.example`, name: 'Newer', timezone: 'Europe/Berlin' };
    const { record } = await book(solo, slot(0), person);
    await cancel(String(record!.event));
  };

  /** Runs the same command until its outcome is known. Returns what each process said. */
  const finish = async (
    machine: Machine | (() => Promise<Machine>),
    plan: MovePlan,
    options: ProcessOptions = {},
  ): Promise<Said[]> => {
    const all: Said[] = [];
    for (let tries = 0; tries < 6; tries += 1) {
      if (tries > 0) await wait();
      all.push(await move(typeof machine === 'function' ? await machine() : machine, plan, options));
      if (all.at(-1)!.said !== 'outcome-unknown') break;
    }
    return all;
  };

  /** The starts at which each person of a plan has an active booking. */
  const standing = async ({ from, to, bookings: all }: MovePlan, more: string[] = []): Promise<string[][]> => {
    const found: string[][] = all.map(() => []);
    for (const start of new Set([from, to, ...more])) {
      for (const event of await activeFrom(start, 1000))
        for (const person of await gather(client.pages(invitees.list, { path: { event: idIn(event.uri) } })))
          for (const [index, { body }] of all.entries())
            if (person.status === 'active' && person.email === body.invitee.email) found[index]!.push(start);
    }
    return found;
  };

  /** A network on which something happens before a request of this kind; `nth` counts from 1. */
  const meanwhile = (kind: 'book' | 'cancel', happen: (request: HttpRequest) => Promise<unknown>, nth = 1): Send => {
    let left = nth;
    return async (request) => {
      if (isWrite(request) && nameOf(request) === kind && --left === 0) await happen(request);
      return authorized(request);
    };
  };

  /** Kills a process at the step of this name; `nth` counts from 1. */
  const killAt = async (
    machine: Machine,
    plan: MovePlan,
    name: string,
    nth = 1,
    writes: string[] = [],
  ): Promise<void> => {
    let left = nth;
    const killSwitch = new KillSwitch();
    const onStep = (step: string) => {
      if (step === name && --left === 0) killSwitch.isKilled = true;
    };
    await move(machine, plan, { killSwitch, onStep, writes }).then(
      () => Promise.reject(new Error(`never reached: ${name}`)),
      (error: unknown) => {
        if (!(error instanceof Killed)) throw error;
      },
    );
  };

  return {
    world,
    clock,
    service: authorized,
    solo,
    group,
    book,
    planned,
    machineAt,
    contextOn,
    move,
    finish,
    wait,
    standing,
    cancel,
    running,
    meanwhile,
    killAt,
  };
};

export type Moves = Awaited<ReturnType<typeof createMoves>>;
