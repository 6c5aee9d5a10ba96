import { once } from '../../src/base/once.ts';
import { changeOptions } from '../../src/cli/operation/change-record.ts';
import type { Context, Shell } from '../../src/cli/session/context.ts';
import { createNetwork } from '../../src/cli/session/network.ts';
import { openSharedState } from '../../src/cli/session/shared-state.ts';
import { createClient } from '../../src/client/client.ts';
import { bookingContextOf } from '../../src/commands/booking/booking-context.ts';
import type { BookingContext } from '../../src/commands/booking/work-attempt.ts';
import { moves } from '../../src/commands/move/work-record.ts';
import type { MoveContext } from '../../src/commands/move/work-steps.ts';
import { defaultTimeoutMs } from '../../src/http/message.ts';
import type { Runtime, World } from '../../src/runtime.ts';
import { organization, origin, user } from './model-service.ts';

/*
 * What the jobs need of a command's context, built from the same parts as in src/cli/session/context.ts: the layers of the
 * network, the ledgers and the locks. There is no output. Requests have no token, so they have no budget to share either.
 */

const nothing = () => {};
const later = async () => {};

const notes = {
  info: nothing,
  heading: nothing,
  warn: nothing,
  always: nothing,
  done: later,
  problems: { add: later, withoutAnswer: nothing },
  rows: nothing,
  countDown: nothing,
  draw: () => false,
  alive: () => nothing,
  place: nothing,
  refused: later,
  takePlace: () => undefined,
  footer: nothing,
  flush: later,
  quiet: true,
  color: undefined,
};

const connection = {
  baseUrl: origin,
  isSandbox: false,
  credentials: { current: async () => ({ token: 'none', origin }) },
  close: later,
};

export const createJobContext = (world: World, isShared: boolean): Shell => {
  const runtime: Runtime = { ...world, secrets: { keep: nothing, redact: (text) => text }, reveal: later };
  const settings = {
    zone: 'UTC',
    timeoutMs: defaultTimeoutMs,
    maxWaitMs: 60_000,
    ...(isShared && { sharedState: 'redis://127.0.0.1:6379' }),
  } as Shell['settings'];
  const sharedState = once(() => openSharedState(runtime, settings, notes, false));
  const layers = once(async () => createNetwork(runtime, settings, notes, connection, (await sharedState()).budget));
  let serviceTime = (): number | undefined => undefined;
  const client = once(async () => {
    const network = await layers();
    serviceTime = network.serviceTime;
    const { sendPlain } = network;
    return createClient({ baseUrl: origin, send: sendPlain, sendPlain, timeoutMs: settings.timeoutMs });
  });
  const context: Partial<Shell> = {
    runtime,
    settings,
    notes,
    printer: { showsPages: false, one: later } as unknown as Shell['printer'],
    connection: async () => connection,
    client,
    sharedState,
    dialect: async () => undefined,
    serviceTime: () => serviceTime(),
    now: () => runtime.clock.now(),
    identity: {
      user: async () => user,
      organization: async () => organization,
      root: async () => origin,
      isTokenUser: async () => true,
      mayBeOther: async (uri) => uri !== user,
    },
  };
  return context as Shell;
};

/** Without the limits of a plan, which cost more requests than a booking. */
export const bookingOf = async (context: Context): Promise<BookingContext> => ({
  ...(await bookingContextOf(context)),
  applyPlanLimits: later,
});

export const movingOf = async (context: Context): Promise<MoveContext> => ({
  booking: await bookingOf(context),
  change: changeOptions(context),
  moves: (await context.sharedState()).ledger(moves),
});
