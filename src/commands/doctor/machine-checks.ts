import { join } from 'node:path';
import type { SchedError } from '../../base/errors.ts';
import { shellWord, singleQuoted } from '../../base/shell-quote.ts';
import { adviceText, noAccount } from '../../cli/messages/suggested-line.ts';
import { readProxy } from '../../http/proxy.ts';
import { access, lstat, readdir, readFile } from '../../node/files.ts';
import type { HeadlessRuntime } from '../../runtime.ts';
import { directory, directoryPath, homeMissing, isHomeless } from '../../state/paths.ts';
import { zoneData } from '../../time/offset.ts';
import { resolveZone } from '../../time/zone.ts';
import { type Check, errorText, type Finding, note, ok, problem } from './finding.ts';

export const runtimeCheck: Check = async ({ runtime }) => {
  const { version, platform, isStandalone } = runtime.machine;
  if (isStandalone) return [ok('runtime', `standalone program on ${platform}`)];
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isSupported = major > 20 || (major === 20 && minor >= 19);
  return isSupported
    ? [ok('runtime', `Node ${version} on ${platform}`)]
    : [problem('runtime', `Node ${version} is too old`, 'install Node 20.19 or newer')];
};

/** A line that turns zsh's builtin off, or loads the completion script, which does the same. */
const turnsBuiltinOff = /^[^#\n]*(?:\bdisable\b[^#\n]*\bsched\b|(?:source|\.)\s+\S*sched\.zsh)/m;

/** zsh has a builtin `sched`, so it never looks for this program under that name. */
export const shellCheck: Check = async ({ runtime: { env, home } }) => {
  if (!/\bzsh$/.test(env.SHELL ?? '')) return [];
  const folder = env.ZDOTDIR || home;
  const files = ['.zshenv', '.zprofile', '.zshrc'].map((name) => join(folder, name));
  const texts = await Promise.all(
    [...files, '/etc/zshrc', '/etc/zsh/zshrc'].map((file) => readFile(file, 'utf8').catch(() => '')),
  );
  return texts.some((text) => turnsBuiltinOff.test(text))
    ? [ok('shell', "zsh's builtin sched is turned off")]
    : [
        note(
          'shell',
          'zsh has a builtin named sched, which hides this program; scheds is the same program',
          `echo 'disable sched' >> ${env.ZDOTDIR ? shellWord(join(folder, '.zshrc')) : '~/.zshrc'}`,
        ),
      ];
};

/** Old data are corrected, so they are no problem. Other programs on this machine may show other times, though. */
export const zoneRulesCheck: Check = async ({ runtime, account }) => {
  const { release, missing } = zoneData();
  const { version, isStandalone } = runtime.machine;
  const own = isStandalone ? 'the standalone program' : `Node ${version}`;
  const corrected =
    missing && `. Those of ${own} are older than ${missing.release}; sched corrects ${missing.zones.join(', ')}`;
  const { TZ, SCHED_TZ } = runtime.env;
  const chosen = resolveZone({ TZ, SCHED_TZ, profile: account?.profile.timezone, system: () => runtime.systemZone });
  return [
    ok('time zones', `rules of release ${release} of the tz database${corrected ?? ', or newer'}`),
    ...(chosen.ok && chosen.note !== undefined
      ? [note('TZ', chosen.note, 'set TZ or SCHED_TZ to a name such as Europe/Paris')]
      : []),
  ];
};

/** Checks that only the owner can read a file or directory. */
const modeCheck = async (check: string, path: string, wantedMode: number, platform: string): Promise<Finding> => {
  const stats = await lstat(path).catch((error: NodeJS.ErrnoException) => error);
  if (stats instanceof Error) {
    return stats.code === 'ENOENT'
      ? ok(check, `${path} doesn't exist yet; sched creates it when needed`)
      : problem(check, `can't access ${path} (${stats.code})`, `make sure you can access ${path}`);
  }
  if (stats.isSymbolicLink())
    return problem(check, `${path} is a symbolic link, which sched doesn't follow`, `rm ${singleQuoted(path)}`);
  // Windows has no modes: the ones that Node reports there mean nothing.
  if (platform === 'win32') return ok(check, `${path} exists; sched can't see who may read it`);
  const mode = stats.mode & 0o777;
  return (mode & 0o077) === 0
    ? ok(check, `${path} is private`)
    : problem(
        check,
        `${path} can be read by others (mode ${mode.toString(8)})`,
        `chmod ${wantedMode.toString(8)} ${singleQuoted(path)}`,
      );
};

/** Checks that a directory can be used. That others can read one the user chose is only a note. */
const placeCheck = async (kind: 'config' | 'state' | 'cache', runtime: HeadlessRuntime): Promise<Finding> => {
  const check = `${kind} directory`;
  try {
    directory(kind, runtime);
  } catch (error) {
    return problem(check, errorText(error), adviceText((error as SchedError).facts.advice ?? '', noAccount));
  }
  const path = directoryPath(kind, runtime);
  // Only a note: reading works without a state directory; bookings and receipts need one.
  if (kind === 'state' && isHomeless(kind, runtime))
    return note(check, `can't use ${path}: ${homeMissing(runtime)}`, 'SCHED_STATE_DIR=/some/directory');
  const finding = await modeCheck(check, path, 0o700, runtime.platform);
  return finding.status === 'problem' && finding.fix?.startsWith('chmod') ? { ...finding, status: 'note' } : finding;
};

export const directoryCheck: Check = async ({ runtime }) =>
  Promise.all((['config', 'state', 'cache'] as const).map((kind) => placeCheck(kind, runtime)));

const filesBelow = async (folder: string): Promise<string[]> => {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const nested = await Promise.all(
    entries.map((entry) => (entry.isDirectory() ? filesBelow(join(folder, entry.name)) : [join(folder, entry.name)])),
  );
  return nested.flat();
};

export const fileCheck: Check = async ({ runtime }) => {
  const files = await filesBelow(directoryPath('config', runtime));
  const findings = await Promise.all(files.map((file) => modeCheck('file', file, 0o600, runtime.platform)));
  return findings.filter(({ status }) => status === 'problem');
};

export const lockCheck: Check = async ({ runtime }) => {
  const { credentialLock: lockOf } = await import('../../auth/session.ts');
  try {
    const lock = lockOf({ issuer: 'doctor', client: 'doctor', user: 'doctor' }, runtime);
    const lockHeld = await lock.acquire();
    await lockHeld?.release();
    return [ok('lock', 'can be acquired and released')];
  } catch (error) {
    return [problem('lock', errorText(error), `make sure you can write to ${runtime.machine.accountHome}`)];
  }
};

/** A clock outside this range is certainly wrong. */
const plausible = { from: Date.UTC(2025, 0), to: Date.UTC(2046, 0) };

export const clockCheck: Check = async ({ runtime }) => {
  const now = runtime.clock.now();
  const text = new Date(now).toISOString();
  return now >= plausible.from && now < plausible.to
    ? [ok('clock', text)]
    : [problem('clock', `${text} can't be right`, 'correct the system clock')];
};

/** The finding for a proxy variable. Never shows the whole value: it may hold a password. */
const proxyFinding = (name: string, value: string): Finding => {
  const isList = name.toLowerCase() === 'no_proxy';
  const proxy = isList ? undefined : readProxy(value, name);
  if (!isList && proxy === undefined)
    return problem('proxy', `${name} is not the URL of an http or https proxy`, `fix or unset ${name}`);
  const address = proxy === undefined ? '' : `: ${proxy.url}`;
  return note(
    'proxy',
    `${name} is set${address}; loopback addresses never use a proxy`,
    `if you don't want this, unset ${name}`,
  );
};

export const networkSettingsCheck: Check = async ({ runtime }) => {
  const { env } = runtime;
  const findings = ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY'].flatMap((upper) => {
    const name = env[upper] === undefined ? upper.toLowerCase() : upper;
    const value = env[name];
    return value ? [proxyFinding(name, value)] : [];
  });
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
            `can't read ${bundle}, named in NODE_EXTRA_CA_CERTS`,
            'fix the path or unset NODE_EXTRA_CA_CERTS',
          ),
    );
  }
  return findings;
};
