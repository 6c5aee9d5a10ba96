import { NetworkFailure } from '../../src/http/failure.ts';
import type { HttpReply, HttpRequest, Send } from '../../src/http/message.ts';
import type { TestWorld } from './run.ts';
import { createWorld } from './run.ts';
import { temporaryDirectory } from './temporary.ts';

type Fault = (request: HttpRequest, service: Send) => Promise<HttpReply>;

export const lost = () => new NetworkFailure('127.0.0.1:4010', 'the connection was reset', true);
export const isBooking = ({ method, url }: HttpRequest) => method === 'POST' && new URL(url).pathname === '/invitees';
export const posts = (requests: HttpRequest[]) => requests.filter(isBooking).length;

/** Makes the first `times` bookings fail; all of them by default. */
export const breaking = (world: TestWorld, fault: Fault, times = Number.POSITIVE_INFINITY): Send => {
  let left = times;
  return async (request) => (isBooking(request) && left-- > 0 ? fault(request, world.service) : world.service(request));
};

export const faults = {
  'reset after commit': async (request: HttpRequest, service: Send) => {
    await service(request);
    throw lost();
  },
  '500 after commit': async (request: HttpRequest, service: Send) => ({
    ...(await service(request)),
    status: 500,
    body: '<h1>Oops',
  }),
  'truncated 200 after commit': async (request: HttpRequest, service: Send) => {
    const reply = await service(request);
    return { ...reply, body: reply.body.slice(0, reply.body.length / 2) };
  },
  'a 200 of another shape after commit': async (request: HttpRequest, service: Send) => ({
    ...(await service(request)),
    body: '{}',
  }),
  'timeout after commit': async (request: HttpRequest, service: Send) => {
    await service(request);
    throw new NetworkFailure('127.0.0.1:4010', 'no complete reply within 30 s', true);
  },
  'reset before commit': async () => {
    throw lost();
  },
  '500 before commit': async () => ({ status: 500, headers: {}, body: '' }),
  'timeout before commit': async () => {
    throw new NetworkFailure('127.0.0.1:4010', 'no complete reply within 30 s', true);
  },
} satisfies Record<string, Fault>;

export type FaultName = keyof typeof faults;

interface Type {
  uri: string;
  kind: string;
  pooling_type: string | null;
  custom_questions: { required: boolean }[];
}

export const typesOf = async (some: TestWorld): Promise<Type[]> =>
  JSON.parse((await some.run('event-types list --active --json')).stdout);

/** An event type that can be booked with nothing but a name. */
export const plainType = async (some: TestWorld): Promise<string> =>
  (await typesOf(some)).find(
    ({ kind, pooling_type, custom_questions }) =>
      kind === 'solo' && pooling_type === null && custom_questions.every(({ required }) => !required),
  )!.uri;

export const monday = Date.parse('2027-02-01T10:00:00Z');
const halfHours = [0, 1, 6, 7, 8];

/** Returns free half-hour slots on working days, one per index. */
export const slot = (index: number): string => {
  const day = Math.floor(index / 5);
  const days = Math.floor(day / 5) * 7 + (day % 5);
  return new Date(monday + days * 86_400_000 + halfHours[index % 5]! * 1_800_000).toISOString();
};

export const bookingLine = (type: string, index: number, more = '') =>
  `invitees create --event-type ${type} --start ${slot(index)} --email ada@engine.example --name "Ada Byron" --timezone Europe/Paris --json ${more}`;

/** Waits until an empty lookup proves that nothing was booked: time has passed, and the list has a newer booking. */
export const untilProven = async (world: TestWorld, type: string): Promise<void> => {
  await world.clock.sleep(151_000);
  const { code } = await world.run(bookingLine(type, 100));
  if (code !== 0) throw new Error(`the newer booking ended with ${code}`);
};

/** Asks the service for the number of active bookings in a slot. */
export const bookedIn = async (world: TestWorld, index: number): Promise<number> => {
  const start = slot(index);
  const until = new Date(Date.parse(start) + 60_000).toISOString();
  const listed = await world.run(
    `events list --org current --status active --since ${start} --until ${until} --json=invitees_counter`,
  );
  return JSON.parse(listed.stdout).reduce(
    (sum: number, event: { invitees_counter: { active: number } }) => sum + event.invitees_counter.active,
    0,
  );
};

/** Books while all replies are lost. Returns exit codes with outcomes, and the bookings at the service. */
export const loseAnswers = async (name: FaultName, times: number) => {
  const state = temporaryDirectory('booking');
  const world = await createWorld({ env: { SCHED_STATE_DIR: state, SCHED_CACHE_DIR: state } });
  const type = await plainType(world);
  const send = breaking(world, faults[name]);
  const verdicts: Record<string, number> = {};
  let requests = 0;
  for (let index = 0; index < times; index += 1) {
    const result = await world.run(bookingLine(type, index), { send });
    const told = JSON.parse(result.stdout || result.stderr.trim().split('\n').at(-1)!);
    const how = told._sched?.reconciled === true ? 'reconciled' : (told._sched?.source ?? told.error?.outcome);
    const verdict = `${result.code} ${how}`;
    verdicts[verdict] = (verdicts[verdict] ?? 0) + 1;
    requests += posts(result.requests);
  }
  const booked: Record<number, number> = {};
  for (let index = 0; index < times; index += 1) {
    const count = await bookedIn(world, index);
    booked[count] = (booked[count] ?? 0) + 1;
  }
  world.close();
  return { requests, verdicts, booked };
};

/** The only correct result: each booking is sent once and reported with its true outcome. */
export const rightVerdicts = (name: FaultName, times: number): Awaited<ReturnType<typeof loseAnswers>> => {
  const isDone = name.includes('after');
  // A complete 2xx reply is not a lost one.
  const done = name.startsWith('a 200 of another shape') ? '0 read' : '0 reconciled';
  return {
    requests: times,
    verdicts: { [isDone ? done : '10 unknown']: times },
    booked: { [isDone ? 1 : 0]: times },
  };
};

/** A service that shows invitees without their event: with `isFlat`, also their URI doesn't name it. */
export const withoutEvents =
  (service: Send, isFlat: boolean): Send =>
  async (request) => {
    const reply = await service(request);
    const body = reply.body.replaceAll(/"event": ?"[^"]*\/scheduled_events\/[^"]*",/g, '');
    return { ...reply, body: isFlat ? body.replaceAll(/scheduled_events\/\w+\/invitees\//g, 'invitees/') : body };
  };
