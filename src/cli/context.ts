import { users } from '../api/users.ts';
import { type Client, createClient } from '../client/client.ts';
import { SchedError } from '../errors.ts';
import { authorize } from '../http/authorize.ts';
import { compose } from '../http/message.ts';
import { rateLimit } from '../http/rate-limit.ts';
import { trace } from '../http/trace.ts';
import type { Printer } from '../output/printer.ts';
import { createPrinter } from '../output/printer.ts';
import type { Runtime } from '../runtime.ts';
import type { Settings } from '../settings.ts';
import { createShowTime } from '../time/show.ts';
import { type Connection, connect } from './connection.ts';
import type { Notes } from './notes.ts';

/** Who the token belongs to, and under which root the service names its records. */
export interface Identity {
  user: string;
  organization: string;
  root: string;
}

/** What a running command has at hand. Nothing here is opened before it is used. */
export interface Context {
  runtime: Runtime;
  settings: Settings;
  notes: Notes;
  printer: Printer;
  connection(): Promise<Connection>;
  client(): Promise<Client>;
  identity(): Promise<Identity>;
  /** The root of the service's own URIs; the base URL where the token may not tell. */
  root(): Promise<string>;
  close(): Promise<void>;
}

const once = <Value>(make: () => Promise<Value>): (() => Promise<Value>) => {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make();
    return made;
  };
};

/** The world between a command and the service: outermost layer first. */
const layersOf = ({ credential }: Connection, runtime: Runtime, settings: Settings, notes: Notes) =>
  compose(
    authorize({ current: async () => credential }),
    rateLimit({
      clock: runtime.clock,
      maxWaitMs: settings.maxWaitMs,
      interrupted: runtime.interrupted,
      onWait: (seconds) => {
        const until = createShowTime(settings.zone).show(new Date(runtime.clock.now() + seconds * 1000).toISOString());
        notes.say(`rate limit reached: waiting ${seconds} s, until ${until}`);
      },
    }),
    ...(settings.verbose ? [trace(runtime.clock, (line) => notes.insist(line))] : []),
  );

export const createContext = (runtime: Runtime, settings: Settings, notes: Notes): Context => {
  let open: Connection | undefined;
  const connection = once(async () => {
    open = await connect(runtime, settings.sandbox, notes);
    return open;
  });
  const client = once(async () => {
    const connected = await connection();
    const send = layersOf(connected, runtime, settings, notes)(runtime.send);
    return createClient({ baseUrl: connected.baseUrl, send, timeoutMs: settings.timeoutMs });
  });
  const identity = once(async () => {
    const me = await (await client()).call(users.me, {});
    const uri = String(me.uri);
    const { env } = runtime;
    return {
      user: env.SCHED_USER || uri,
      organization: env.SCHED_ORG || String(me.current_organization ?? ''),
      root: uri.slice(0, uri.lastIndexOf('/users/')),
    };
  });
  const root = async () => {
    try {
      return (await identity()).root;
    } catch (error) {
      if (error instanceof SchedError && error.category === 'forbidden') return (await connection()).baseUrl;
      throw error;
    }
  };
  const { show: showTime, label: zoneLabel } = createShowTime(settings.zone);
  return {
    runtime,
    settings,
    notes,
    printer: createPrinter({ ...settings, stdout: runtime.stdout, showTime, zoneLabel }),
    connection,
    client,
    identity,
    root,
    close: async () => open?.close(),
  };
};
