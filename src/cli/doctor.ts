import { access, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { SchedError } from '../errors.ts';
import { urlProblem } from '../http/proxy.ts';
import type { Config } from '../profile/schema.ts';
import { configFile, readConfig } from '../profiles.ts';
import type { Runtime } from '../runtime.ts';
import type { Account } from '../settings.ts';
import { directory } from '../state/paths.ts';

/** One thing looked at: what was found, and for what is wrong how to mend it. */
export interface Finding {
  check: string;
  status: 'ok' | 'note' | 'problem';
  finding: string;
  mend: string | null;
}

/** What the checks share: the configuration may be broken, and the doctor must work all the same. */
export interface Patient {
  runtime: Runtime;
  config: Config | undefined;
  /** The profile that is meant, whether it is there or not. */
  name: string | undefined;
  account: Account | undefined;
}

type Check = (patient: Patient) => Promise<Finding[]>;

const ok = (check: string, finding: string): Finding => ({ check, status: 'ok', finding, mend: null });
const note = (check: string, finding: string, mend: string | null = null): Finding => ({
  check,
  status: 'note',
  finding,
  mend,
});
const problem = (check: string, finding: string, mend: string): Finding => ({
  check,
  status: 'problem',
  finding,
  mend,
});

const words = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return error instanceof SchedError && error.facts.reason !== undefined
    ? `${error.message}: ${error.facts.reason}`
    : error.message;
};

const runtimeCheck: Check = async ({ runtime }) => {
  const { version, platform, isStandalone } = runtime.machine;
  if (isStandalone) return [ok('runtime', `one file that needs no Node, on ${platform}`)];
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isSupported = major > 20 || (major === 20 && minor >= 19);
  return isSupported
    ? [ok('runtime', `Node ${version} on ${platform}`)]
    : [problem('runtime', `Node ${version} is too old`, 'install Node 20.19 or newer')];
};

/** Whether only the owner may look into it. */
const modeCheck = async (check: string, path: string, wanted: number): Promise<Finding> => {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => error);
  if (found instanceof Error) {
    return found.code === 'ENOENT'
      ? note(check, `${path} is not there yet and will be made when needed`, `mkdir -p -m 700 '${path}'`)
      : problem(check, `${path} cannot be looked at (${found.code})`, `see to it that ${path} can be reached`);
  }
  if (found.isSymbolicLink())
    return problem(check, `${path} is a symbolic link, and those are not followed`, `rm '${path}'`);
  const mode = found.mode & 0o777;
  return (mode & 0o077) === 0
    ? ok(check, `${path} is its owner's alone`)
    : problem(
        check,
        `${path} can be read by others (mode ${mode.toString(8)})`,
        `chmod ${wanted.toString(8)} '${path}'`,
      );
};

const directoryCheck: Check = async ({ runtime }) =>
  Promise.all(
    (['config', 'state', 'cache'] as const).map((kind) =>
      modeCheck(`${kind} directory`, directory(kind, runtime), 0o700),
    ),
  );

const filesBelow = async (folder: string): Promise<string[]> => {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const nested = await Promise.all(
    entries.map((entry) => (entry.isDirectory() ? filesBelow(join(folder, entry.name)) : [join(folder, entry.name)])),
  );
  return nested.flat();
};

const fileCheck: Check = async ({ runtime }) => {
  const files = await filesBelow(directory('config', runtime));
  const findings = await Promise.all(files.map((file) => modeCheck('file', file, 0o600)));
  return findings.filter(({ status }) => status === 'problem');
};

const configCheck: Check = async ({ runtime, config }) => {
  if (config !== undefined) return [ok('configuration', configFile(runtime))];
  const error = await readConfig(runtime).then(() => undefined, words);
  return [problem('configuration', error ?? 'it was broken a moment ago', `edit ${configFile(runtime)}`)];
};

const profileCheck: Check = async ({ config, name, account }) => {
  if (config === undefined) return [];
  if (account !== undefined) return [ok('profile', `${account.name}: ${account.profile.base_url}`)];
  if (name !== undefined)
    return [problem('profile', `there is no profile '${name}'`, 'sched profiles list, then sched profiles use NAME')];
  return [note('profile', 'there is none', 'sched auth login, or SCHED_TOKEN with SCHED_BASE_URL')];
};

/** The address that commands go to, where it is one. */
const baseUrlOf = ({ runtime, account }: Patient): string | undefined => {
  const found = runtime.env.SCHED_BASE_URL || account?.profile.base_url;
  return found === undefined || urlProblem(found) !== undefined ? undefined : found.replace(/\/+$/, '');
};

const addressCheck: Check = async ({ runtime }) =>
  (['SCHED_BASE_URL', 'SCHED_AUTH_URL', 'SCHED_MCP_URL'] as const).flatMap((name) => {
    const value = runtime.env[name];
    const wrong = value ? urlProblem(value) : undefined;
    return wrong === undefined ? [] : [problem('address', `${name}: ${wrong}`, `unset ${name}, or mend it`)];
  });

const keychainCheck: Check = async ({ runtime, account }) => {
  const { storeOf } = await import('./login.ts');
  const kind = account?.profile.login?.store;
  if (kind === 'file') return [ok('credential store', 'a file, as this profile says')];
  const store = await storeOf('keychain', runtime);
  const error = await store.probe().then(() => undefined, words);
  if (error === undefined) return [ok('credential store', `${store.describe()} works`)];
  const mend = 'unlock or start the keychain, or sched auth login --credential-store file, or SCHED_TOKEN';
  return [kind === 'keychain' ? problem('credential store', error, mend) : note('credential store', error, mend)];
};

const lockCheck: Check = async ({ runtime }) => {
  const { lockOf } = await import('../auth/session.ts');
  const lock = lockOf({ issuer: 'doctor', client: 'doctor', user: 'doctor' }, runtime);
  try {
    const held = await lock.acquire();
    await held?.release();
    return [ok('lock', 'can be taken and given back')];
  } catch (error) {
    return [problem('lock', words(error), `see to it that ${runtime.machine.accountHome} can be written`)];
  }
};

/** Years in which a clock that says so may be right. */
const plausible = { from: Date.UTC(2025, 0), to: Date.UTC(2046, 0) };

const clockCheck: Check = async ({ runtime }) => {
  const now = runtime.clock.now();
  const text = new Date(now).toISOString();
  return now >= plausible.from && now < plausible.to
    ? [ok('clock', text)]
    : [problem('clock', `${text} cannot be right`, "set the machine's clock")];
};

const networkSettingsCheck: Check = async ({ runtime }) => {
  const { env } = runtime;
  const proxies = ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY']
    .map((name) => [name, env[name] ?? env[name.toLowerCase()]] as const)
    .filter(([, value]) => value);
  const findings = proxies.map(([name]) =>
    note('proxy', `${name} is set and honoured; loopback never goes through it`, `unset ${name}, if it is not meant`),
  );
  const bundle = env.NODE_EXTRA_CA_CERTS;
  if (bundle) {
    const isReadable = await access(bundle).then(
      () => true,
      () => false,
    );
    findings.push(
      isReadable
        ? note('certificates', `NODE_EXTRA_CA_CERTS adds ${bundle}`)
        : problem(
            'certificates',
            `NODE_EXTRA_CA_CERTS names ${bundle}, which cannot be read`,
            'unset NODE_EXTRA_CA_CERTS or mend the path',
          ),
    );
  }
  return findings;
};

const tokenCheck: Check = async ({ runtime, account }) => {
  const { env } = runtime;
  if (env.SCHED_TOKEN || env.SCHED_TOKEN_FILE) {
    const { environmentToken } = await import('./connection.ts');
    const error = await environmentToken(runtime).then(() => undefined, words);
    return [
      error === undefined
        ? ok('token', 'from the environment; it beats every stored login')
        : problem('token', error, 'set SCHED_TOKEN or SCHED_TOKEN_FILE anew'),
    ];
  }
  if (account === undefined) return [];
  const again = `sched auth login -p ${account.name}`;
  if (account.profile.login === undefined)
    return [problem('token', `the profile ${account.name} is not logged in`, again)];
  const { openLogin } = await import('./login.ts');
  const quiet = {
    say: () => {},
    insist: () => {},
    footer: () => {},
    status: () => {},
    flush: async () => {},
    quiet: true,
    isJson: false,
  };
  try {
    const session = await openLogin(account, runtime, { allowRefresh: false }, quiet);
    const { expires_at, refresh_token } = await session!.record();
    if (expires_at === undefined) return [ok('token', 'a personal access token')];
    const when = new Date(expires_at).toISOString();
    if (expires_at > runtime.clock.now()) return [ok('token', `good until ${when}`)];
    return refresh_token === undefined
      ? [problem('token', `expired at ${when}`, again)]
      : [note('token', `expired at ${when}; the next command renews it`, `sched auth refresh -p ${account.name}`)];
  } catch (error) {
    return [problem('token', words(error), again)];
  }
};

/** Minutes of difference after which logins and limits go wrong. */
const toleratedSkewMs = 2 * 60_000;

const networkCheck: Check = async (patient) => {
  const { runtime, account } = patient;
  const baseUrl = baseUrlOf(patient);
  if (baseUrl === undefined) return [note('network', 'there is no base URL to ask')];
  try {
    // Without the token: whether somebody answers is all that is asked.
    const { headers } = await runtime.send({
      method: 'GET',
      url: `${baseUrl}/users/me`,
      headers: { accept: 'application/json' },
      timeoutMs: 10_000,
    });
    const skew = headers.date === undefined ? 0 : runtime.clock.now() - Date.parse(headers.date);
    const reached = ok('network', `${new URL(baseUrl).host} answers`);
    if (!(Math.abs(skew) > toleratedSkewMs)) return [reached];
    const distance = `${Math.round(Math.abs(skew) / 60_000)} minutes ${skew > 0 ? 'ahead of' : 'behind'} the service's`;
    return [reached, problem('clock', `this clock is ${distance}`, "set the machine's clock")];
  } catch (error) {
    return [
      problem(
        'network',
        `${new URL(baseUrl).host} cannot be reached: ${words(error)}`,
        account === undefined || runtime.env.SCHED_BASE_URL
          ? 'look at SCHED_BASE_URL, the network and the proxy settings'
          : `see to the network and the proxy settings; another address: sched profiles set base_url URL -p ${account.name}`,
      ),
    ];
  }
};

/** What a check stumbled over is a finding too: the others are still to be told. */
const stumbled = (check: string, error: unknown): Finding => {
  if (!(error instanceof SchedError)) throw error;
  return problem(check, words(error), error.facts.hint ?? 'see to it that it can be read');
};

const bookingCheck: Check = async (patient) => {
  const { runtime, account } = patient;
  const baseUrl = baseUrlOf(patient);
  if (baseUrl === undefined) return [];
  const { fileLedger } = await import('../state/ledger.ts');
  const ledger = fileLedger({
    directory: join(directory('state', runtime), 'bookings'),
    now: runtime.clock.now,
    randomBytes: runtime.randomBytes,
  });
  const open = await ledger.open(new URL(baseUrl).origin).catch((error: unknown) => stumbled('bookings', error));
  if (!Array.isArray(open)) return [open];
  const { length } = open;
  if (length === 0) return [];
  const finding = `${length === 1 ? 'of one booking' : `of ${length} bookings`} it is not known whether it was made`;
  return [note('bookings', finding, `sched invitees reconcile${account === undefined ? '' : ` -p ${account.name}`}`)];
};

/** Bulk work that was killed or stopped, and goes on with the same command. */
const runCheck: Check = async ({ runtime }) => {
  const [{ listRuns, openReceipt }, { realDisk }] = await Promise.all([
    import('../jobs/runs.ts'),
    import('../jobs/disk.ts'),
  ]);
  const findings: Finding[] = [];
  for (const { path, run } of await listRuns(join(directory('state', runtime), 'receipts'))) {
    const opened = await openReceipt(realDisk, path).catch((error: unknown) => stumbled('runs', error));
    if (opened === undefined) continue;
    if ('check' in opened) findings.push(opened);
    else if (!opened.ok)
      findings.push(problem('runs', `the receipt ${path} is damaged`, `sched compliance verify '${path}'`));
    else if (opened.story.endedAt === undefined) {
      findings.push(
        note(
          'runs',
          `the run ${run.run} is not finished`,
          `the same command again; sched compliance runs ${run.run} shows it`,
        ),
      );
    }
  }
  return findings;
};

const checks: Check[] = [
  runtimeCheck,
  directoryCheck,
  configCheck,
  fileCheck,
  profileCheck,
  addressCheck,
  keychainCheck,
  lockCheck,
  clockCheck,
  networkSettingsCheck,
  tokenCheck,
  bookingCheck,
  runCheck,
];

/** Looks at everything a command rests on; with `network` at the service too. */
export async function* examine(patient: Patient, network: boolean): AsyncGenerator<Finding[]> {
  for (const check of network ? [...checks, networkCheck] : checks) yield await check(patient);
}
