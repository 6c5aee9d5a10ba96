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
import type { Output, Runtime } from '../../runtime.ts';
import { timeLabel } from '../../time/label.ts';
import { exactTime } from '../../time/show.ts';
import type { Notes } from '../messages/notes.ts';
import { type Connection, connect, isAnySandbox, type Network } from './connection.ts';
import { createIdentity, type Identity, ownerOfToken } from './identity.ts';
import { createNetwork } from './network.ts';
import { mostRemembered, rememberShown } from './recent-records.ts';
import { requireScope, type TokenFacts, withScopeCheck } from './scope-check.ts';
import type { Settings } from './settings.ts';
import { openSharedState, type SharedState } from './shared-state.ts';

/** The environment for a jq program, which must not see secrets: only `auth token` prints one. */
const withoutSecrets = ({ SCHED_TOKEN: _, SCHED_SHARED_STATE: __, ...env }: Runtime['env']): Runtime['env'] => env;

/** A program that runs commands for a person, in place of a terminal. */
export interface Frontend {
  printer: Printer;
  notes: Notes;
  /** Asks the person to confirm a write. Missing if the person can't be asked. */
  confirm?(question: string): Promise<boolean>;
  /** Called before each write. Throws to hold it back. */
  beforeWrite?(): void;
}

/** Everything a running command can use. Opened on first use. */
export interface Context {
  runtime: Runtime;
  settings: Settings;
  notes: Notes;
  printer: Printer;
  connection(): Promise<Connection>;
  client(): Promise<Client>;
  /** A client for a service that differs in this way from the catalogue. */
  clientFor(dialect: Dialect | undefined): Promise<Client>;
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
  /** The operation that the command carries out, if it is a single one. */
  operation?: Operation | undefined;
  identity: Identity;
  /** Asks for a write with a protected profile. */
  beforeWrite?: (request: HttpRequest) => Promise<void>;
  frontend?: Frontend | undefined;
  /** The ID of a record for a command line: for a person its beginning, which is remembered. */
  shownId(uri: unknown): string;
  /** Whether the person can be asked to confirm a write. */
  canConfirm: boolean;
  /** Whether a person answers questions while the command runs: at a terminal, and without `--yes`. */
  asks: boolean;
  close(): Promise<void>;
}

/** Whether one person sees both the notes of a run and its answer in words. */
export const isWatched = ({ printer, runtime }: Context): boolean =>
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

/** If the login is known to lack the scope for `operation`, the command fails as soon as it connects. */
export const createContext = (
  runtime: Runtime,
  settings: Settings,
  notes: Notes,
  findUser: FindUser,
  operation?: Operation,
  isBackground = false,
  frontend?: Frontend,
): Context => {
  let open: Connection | undefined;
  let network: Network | undefined;
  let openState: SharedState | undefined;
  /** Whether a time was needed before the service told its own. */
  let isAssumed = false;
  const connection = once(async () => {
    open = await connect(runtime, settings, notes, dialect);
    if (operation !== undefined && !settings.dryRun) requireScope(operation, holderOf(open));
    return open;
  });
  const holderOf = ({ scopes, isLogin }: Connection): TokenFacts => ({
    scopes,
    profile: isLogin ? settings.account?.name : undefined,
    variable: isLogin || settings.sandbox ? undefined : runtime.env.SCHED_TOKEN ? 'SCHED_TOKEN' : 'SCHED_TOKEN_FILE',
  });
  const sharedState = once(async () => {
    openState = await openSharedState(runtime, settings, notes, (await connection()).isSandbox);
    return openState;
  });
  const dialect = once(async () => {
    if (settings.sandbox || settings.dialect === undefined) return undefined;
    const { loadDialect, withCatalogueNames } = await import('./dialect-file.ts');
    const loaded = await loadDialect(settings.dialect, runtime);
    return settings.mirror ? withCatalogueNames(loaded) : loaded;
  });
  const layers = once(async () => {
    network = (await connection()).mirror;
    network ??= createNetwork(runtime, settings, notes, await connection(), (await sharedState()).budget, isBackground);
    return network;
  });
  const clientFor = async (dialect: Dialect | undefined) => {
    const { baseUrl, mcpUrl } = await connection();
    const { send, sendPlain } = settings.noCheck ? { send: refuseRequest, sendPlain: refuseRequest } : await layers();
    // No write passes with a protected profile, whatever its command has asked.
    const guarded =
      (next: Send): Send =>
      async (request) => {
        const isWrite = effectOf(request) !== 'read' || !['GET', 'HEAD'].includes(request.method);
        if (isWrite && settings.protectedProfile !== undefined) await context.beforeWrite!(request);
        if (isWrite) frontend?.beforeWrite?.();
        return next(request);
      };
    const client = createClient({
      baseUrl,
      mcpUrl,
      send: guarded(send),
      sendPlain: guarded(sendPlain),
      timeoutMs: settings.timeoutMs,
      dialect: dialect,
      names: context.identity,
    });
    return withScopeCheck(client, holderOf(await connection()));
  };
  const client = once(async () => clientFor(await dialect()));
  const now = () => open?.now?.() ?? network?.now() ?? runtime.clock.now();
  const askSandbox = once(async () => {
    const current = await connection();
    if (!settings.noCheck && current.now === undefined && (await isAnySandbox(current)))
      await (await layers()).askSandboxTime();
  });
  const askNow = async () => {
    // If there is no connection, the first request reports it.
    if (network?.serviceTime() === undefined) await askSandbox().catch(() => {});
    isAssumed ||= open?.now === undefined && network?.serviceTime() === undefined;
    return now();
  };
  const warnOfSkew = () => {
    const skew = runtime.clock.now() - now();
    if (!isAssumed || Math.abs(skew) <= toleratedSkewMs) return;
    const distance = `${durationText(Math.abs(skew) / 1000)} ${skew > 0 ? 'ahead of' : 'behind'} the service's`;
    notes.warn(
      `This machine's clock is ${distance}, and "now" and "today" were read from it. Correct it if it is wrong`,
    );
  };
  const { format, fields, header, raw, jq, color, accessible } = settings;
  /** URIs of records, if a person sees them. */
  const shownUris: string[] = [];
  const noteShown = (records: readonly object[]): void => {
    for (const { uri } of records as { uri?: unknown }[]) if (typeof uri === 'string') shownUris.push(uri);
    shownUris.splice(0, shownUris.length - mostRemembered);
  };
  const isShown = format === 'table' && runtime.stdout.isTerminal;
  const isRead = operation === undefined || operation.method === 'GET';
  const context: Context = {
    runtime,
    settings,
    notes,
    printer:
      frontend?.printer ??
      createPrinter({
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
        onDraft: isShown ? runtime.status?.draft : undefined,
        onRecords: isShown ? noteShown : undefined,
        env: withoutSecrets(runtime.env),
        interrupted: runtime.interrupted,
        // After a write, the next words typed belong to the shell, not to a pager.
        openPager: settings.mayPage && isRead ? pagerOf(runtime) : undefined,
      }),
    connection,
    client,
    clientFor,
    sharedState,
    serviceTime: () => network?.serviceTime(),
    now,
    askNow,
    dialect,
    operation,
    identity: createIdentity({
      env: runtime.env,
      connection,
      owner: async () => ownerOfToken(runtime, await connection(), client),
      findUser: (who) => findUser(who, context),
    }),
    frontend,
    shownId: (uri) => {
      if (!isShown) return idIn(uri);
      noteShown([{ uri }]);
      return idIn(uri).slice(0, shortestId);
    },
    canConfirm: settings.canAsk || frontend?.confirm !== undefined,
    asks: settings.canAsk && !settings.yes,
    close: async () => {
      warnOfSkew();
      if (shownUris.length > 0) await rememberShown(runtime, settings, shownUris);
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
