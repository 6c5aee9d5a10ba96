import type { Operation } from '../../api/operation.ts';
import { SchedError } from '../../base/errors.ts';
import { once } from '../../base/once.ts';
import { idIn, shortestId } from '../../base/uri.ts';
import { the, words } from '../../base/words.ts';
import { type Client, createClient } from '../../client/client.ts';
import { effectOf } from '../../client/outcome.ts';
import type { Dialect } from '../../dialects/dialect.ts';
import type { HttpRequest, Send } from '../../http/message.ts';
import { toleratedSkewMs } from '../../http/service-time.ts';
import { pagerOf } from '../../output/pager.ts';
import { createPrinter, type Printer } from '../../output/printer.ts';
import { durationText } from '../../output/progress.ts';
import type { HeadlessRuntime, Output, Runtime } from '../../runtime.ts';
import { timeLabel } from '../../time/label.ts';
import { exactTime } from '../../time/show.ts';
import type { Notes, WorkNotes } from '../messages/notes.ts';
import type { Asker } from './asker.ts';
import { type Connection, connect, isAnySandbox, type Network } from './connection.ts';
import type { Frontend } from './frontend.ts';
import { createIdentity, type Identity, ownerOfToken } from './identity.ts';
import { createNetwork } from './network.ts';
import { mostRemembered, rememberShown } from './recent-records.ts';
import { requireScope, type TokenFacts, withScopeCheck } from './scope-check.ts';
import type { RoomSettings, Settings } from './settings.ts';
import { openSharedState, type SharedState } from './shared-state.ts';

/** The environment for a jq program, which must not see secrets: only `auth token` prints one. */
const withoutSecrets = ({ SCHED_TOKEN: _, SCHED_SHARED_STATE: __, ...env }: Runtime['env']): Runtime['env'] => env;

/** What a running command can use. Opened on first use. The shell prints, asks, and knows who reads. */
export interface Context {
  runtime: HeadlessRuntime;
  settings: RoomSettings;
  notes: WorkNotes;
  connection(): Promise<Connection>;
  /** By default, for a service that differs from the catalogue in the way that the account says. */
  client(other?: { dialect: Dialect | undefined }): Promise<Client>;
  /** The rate budget and the booking ledger. */
  sharedState(): Promise<SharedState>;
  /** The time in the service's last reply, if it had one. For proofs: see `now` for everything else. */
  serviceTime(): number | undefined;
  /** The service's time, or this machine's before the first reply. For what is shown, and decided after a reply. */
  now(): number;
  /**
   * The service's time, for what is read and decided before the first reply too. People move the clock of a sandbox, so a
   * sandbox is asked. Other services are not: their time is this machine's, unless its clock is wrong.
   */
  askNow(): Promise<number>;
  /** How the service differs from the catalogue, if it does. The built-in sandbox doesn't. */
  dialect(): Promise<Dialect | undefined>;
  identity: Identity;
  /** The ID of a record for a command line: for a person its beginning, which is remembered. */
  shownId(uri: unknown): string;
  /** Asks a person to choose something else while the command runs. Undefined if nobody answers. */
  asker?: () => Promise<Asker>;
}

/** The same with what belongs to the shell, and to the few programs that talk to their reader by themselves. */
export interface Shell extends Context {
  runtime: Runtime;
  settings: Settings;
  notes: Notes;
  printer: Printer;
  /** The operation that the command carries out, if it is a single one. */
  operation?: Operation | undefined;
  /** The plan is being carried out: whoever had to agree has agreed. Before that, no write leaves. */
  isAgreed: boolean;
  /** Asks for a write with a protected profile. */
  beforeWrite?: (request: HttpRequest) => Promise<void>;
  frontend?: Frontend | undefined;
  /** Whether the person can be asked to confirm a write. */
  canConfirm: boolean;
  close(): Promise<void>;
}

/** Whether one person sees both the notes of a run and its answer in words. */
export const isWatched = ({ printer, runtime }: Shell): boolean =>
  printer.showsPages && runtime.stdout.isTerminal && runtime.stderr.isTerminal;

/** Finds the URI of a user by name or email address. */
export type FindUser = (who: string, context: Context) => Promise<string>;

/** With `--no-check`, no request is sent. */
const refuseRequest = async (): Promise<never> => {
  throw new SchedError('usage', words`This needs a request to find what you named, and ${the('noCheck')} sends none`, {
    advice: 'use full URIs, and set SCHED_USER and SCHED_ORG',
    outcome: 'not-sent',
  });
};

/** A terminal that shows pending notes before the output they are about. */
const afterNotes = (stdout: Output, notes: Notes): Output => {
  if (!stdout.isTerminal) return stdout;
  const write = async (text: string): Promise<void> => {
    await notes.flush();
    await stdout.write(text);
  };
  return Object.create(stdout, { write: { value: write } });
};

/** What a context is made of. */
interface Parts {
  runtime: Runtime;
  settings: Settings;
  notes: Notes;
  findUser: FindUser;
  /** If the login is known to lack its scope, the command fails as soon as it connects. */
  operation?: Operation | undefined;
  isBackground?: boolean | undefined;
  frontend?: Frontend | undefined;
}

/** Whose token it is, and what it may do. */
const holderOf = ({ settings, runtime: { env } }: Parts, { scopes, isLogin }: Connection): TokenFacts => ({
  scopes,
  profile: isLogin ? settings.account?.name : undefined,
  variable: isLogin || settings.sandbox ? undefined : env.SCHED_TOKEN ? 'SCHED_TOKEN' : 'SCHED_TOKEN_FILE',
});

/**
 * The last line behind the question (R71). No write passes before its plan is carried out, so none under --dry-run, and none
 * with a protected profile, whatever its command does.
 */
const guarded =
  (context: Shell, next: Send): Send =>
  async (request) => {
    const { settings, beforeWrite } = context;
    const isWrite = effectOf(request) !== 'read' || !['GET', 'HEAD'].includes(request.method);
    if (isWrite && !context.isAgreed)
      throw new SchedError('internal', 'A write was about to be sent before its plan was carried out', {
        outcome: 'not-sent',
      });
    if (isWrite && settings.protectedProfile !== undefined) await beforeWrite!(request);
    return next(request);
  };

/** The IDs of records that a person sees: their beginnings are remembered. */
const createShownIds = ({ runtime, settings }: Parts) => {
  const isShown = settings.format === 'table' && runtime.stdout.isTerminal;
  const uris: string[] = [];
  const note = (records: readonly object[]): void => {
    for (const { uri } of records as { uri?: unknown }[]) if (typeof uri === 'string') uris.push(uri);
    uris.splice(0, uris.length - mostRemembered);
  };
  return {
    isShown,
    note,
    shorten: (uri: unknown): string => {
      if (!isShown) return idIn(uri);
      note([{ uri }]);
      return idIn(uri).slice(0, shortestId);
    },
    remember: async () => {
      if (uris.length > 0) await rememberShown(runtime, settings, uris);
    },
  };
};

const printerOf = (
  { runtime, settings, notes, operation }: Parts,
  now: () => number,
  shown: ReturnType<typeof createShownIds>,
): Printer => {
  const { format, fields, header, raw, jq, color, accessible } = settings;
  const isRead = operation === undefined || operation.method === 'GET';
  return createPrinter({
    // The command itself writes sentences.
    format: format === 'text' ? 'table' : format,
    fields,
    header,
    raw,
    jq,
    localTime: settings.localTimes ? (text) => exactTime(text, settings.zone) : undefined,
    color,
    accessible,
    stdout: afterNotes(runtime.stdout, notes),
    takePlace: notes.takePlace,
    showTime: (text) => timeLabel(text, settings.zone, now()) ?? text,
    get now() {
      return now();
    },
    get zoneLabel() {
      return settings.zone;
    },
    say: notes.info,
    onRows: runtime.status?.rows,
    onDraft: shown.isShown ? runtime.status?.draft : undefined,
    onRecords: shown.isShown ? shown.note : undefined,
    env: withoutSecrets(runtime.env),
    interrupted: runtime.interrupted,
    // After a write, the next words typed belong to the shell, not to a pager.
    openPager: settings.mayPage && isRead ? pagerOf(runtime) : undefined,
  });
};

/** Says how far this machine's clock is off. */
const warnOfSkew = (notes: Notes, skew: number): void => {
  if (Math.abs(skew) <= toleratedSkewMs) return;
  const distance = `${durationText(Math.abs(skew) / 1000)} ${skew > 0 ? 'ahead of' : 'behind'} the service's`;
  notes.warn(`This machine's clock is ${distance}, and "now" and "today" were read from it. Correct it if it is wrong`);
};

/** How the service differs from the catalogue, if it does. */
const dialectOf = async ({ runtime, settings }: Parts): Promise<Dialect | undefined> => {
  if (settings.sandbox || settings.dialect === undefined) return undefined;
  const { loadDialect, withCatalogueNames } = await import('./dialect-file.ts');
  const loaded = await loadDialect(settings.dialect, runtime);
  return settings.mirror ? withCatalogueNames(loaded) : loaded;
};

const clientAt = (
  context: Shell,
  { baseUrl, mcpUrl }: Connection,
  dialect: Dialect | undefined,
  { send, sendPlain }: Pick<Network, 'send' | 'sendPlain'>,
): Client =>
  createClient({
    baseUrl,
    mcpUrl,
    send: guarded(context, send),
    sendPlain: guarded(context, sendPlain),
    timeoutMs: context.settings.timeoutMs,
    dialect,
    names: context.identity,
  });

export const createContext = (parts: Parts): Shell => {
  const { runtime, settings, notes, findUser, operation, isBackground = false, frontend } = parts;
  let open: Connection | undefined;
  let network: Network | undefined;
  let openState: SharedState | undefined;
  /** Whether a time was needed before the service told its own. */
  let isAssumed = false;
  const connection = once(async () => {
    open = await connect(runtime, settings, notes, dialect);
    if (operation !== undefined && !settings.dryRun) requireScope(operation, holderOf(parts, open));
    return open;
  });
  const sharedState = once(async () => {
    openState = await openSharedState(runtime, settings, notes, (await connection()).isSandbox);
    return openState;
  });
  const dialect = once(() => dialectOf(parts));
  const layers = once(async () => {
    network = (await connection()).mirror;
    network ??= createNetwork(runtime, settings, notes, await connection(), (await sharedState()).budget, isBackground);
    return network;
  });
  const clientFor = async ({ dialect }: { dialect: Dialect | undefined }) => {
    const current = await connection();
    const { send, sendPlain } = settings.noCheck ? { send: refuseRequest, sendPlain: refuseRequest } : await layers();
    return withScopeCheck(clientAt(context, current, dialect, { send, sendPlain }), holderOf(parts, current));
  };
  const ownClient = once(async () => clientFor({ dialect: await dialect() }));
  const client: Context['client'] = (other) => (other === undefined ? ownClient() : clientFor(other));
  const now = () => open?.now?.() ?? network?.now() ?? runtime.clock.now();
  const askSandbox = once(async () => {
    const current = await connection();
    if (!settings.noCheck && current.now === undefined && (await isAnySandbox(current)))
      await (await layers()).askSandboxTime();
  });
  const shown = createShownIds(parts);
  const context: Shell = {
    runtime,
    settings,
    notes,
    printer: printerOf(parts, now, shown),
    connection,
    client,
    sharedState,
    serviceTime: () => network?.serviceTime(),
    now,
    askNow: async () => {
      // If there is no connection, the first request reports it.
      if (network?.serviceTime() === undefined) await askSandbox().catch(() => {});
      isAssumed ||= open?.now === undefined && network?.serviceTime() === undefined;
      return now();
    },
    dialect,
    operation,
    identity: createIdentity({
      env: runtime.env,
      connection,
      owner: async () => ownerOfToken(runtime, await connection(), client),
      findUser: (who) => findUser(who, context),
    }),
    frontend,
    isAgreed: false,
    shownId: shown.shorten,
    canConfirm: settings.canAsk || frontend?.confirm !== undefined,
    close: async () => {
      if (isAssumed) warnOfSkew(notes, runtime.clock.now() - now());
      await shown.remember();
      await openState?.close();
      await open?.close();
    },
  };
  return context;
};

/**
 * The times of the service and of this machine, for commands that must be right although either clock may be wrong. At a
 * sandbox only its own counts, because people move it.
 */
export const bothClocks = async (context: Context): Promise<{ earlier: number; later: number }> => {
  const now = await context.askNow();
  const other = (await isAnySandbox(await context.connection())) ? now : context.runtime.clock.now();
  return { earlier: Math.min(now, other), later: Math.max(now, other) };
};
