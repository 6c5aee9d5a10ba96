import { self, the, type Words, words } from '../../base/words.ts';
import { entry } from '../../cli/input/entry.ts';
import { input, type Values } from '../../cli/input/input.ts';
import { accept, type Kind, type Read, readValue, refuse } from '../../cli/input/kind.ts';
import { choice, count, duration, file, momentFacts, text, toggle } from '../../cli/input/kinds.ts';
import { needs, rule } from '../../cli/input/relations.ts';
import type { Fault } from '../../sandbox/faults/faults.ts';
import { profileNames } from '../../sandbox/oauth/profiles.ts';
import { kinds, plans } from '../../sandbox/rules/subscription.ts';
import { isSeedName, mostEvents, type Seed } from '../../sandbox/seed/name.ts';
import { isHostName, originIn } from '../../sandbox/server/http-server.ts';
import { addressKind } from '../webhooks/input.ts';
import { keyFileEntry, keyFileText } from '../webhooks/signing-key.ts';

const dataKind: Kind<string> = {
  value: 'FILE',
  json: 'string',
  offers: 'files',
  read: (raw) => (raw === '' ? refuse(words`${self} must be a file name or :memory:`) : accept(raw)),
};

const sharedDataKind: Kind<string> = {
  ...dataKind,
  read: (raw, how) =>
    raw === ':memory:'
      ? refuse(words`${self} :memory: ends with its command, so no other one can use it`)
      : readValue(dataKind, raw, how),
};

const sharedText = "the sandbox's data file (default: the file that all sandbox commands share)";

/** The data of a command that uses data that is there. */
export const sharedData = entry(sharedDataKind, sharedText);

/** Reads `payload.name=Zoe`. */
export const assignment: Kind<readonly [path: string, value: string]> = {
  value: 'PATH=VALUE',
  json: 'string',
  read: (text) => {
    const end = text.indexOf('=');
    if (end >= 1) return accept([text.slice(0, end), text.slice(end + 1)]);
    return refuse(words`${self} must be PATH=VALUE such as payload.name=Zoe, not "${text}"`);
  },
};

/** For commands that take nothing else. */
export const dataInput = input({ data: sharedData });

/** Data in memory has the tokens of new data. */
export const tokensInput = input({ data: entry(dataKind, sharedText) });

export type DataInput = Values<{ data: typeof sharedData }>;

/** A world as of the first moment of its clock: without one, the current time. */
type WorldAt = (now: number | undefined) => Promise<Seed>;

const seedKind: Kind<WorldAt> = {
  value: 'WORLD',
  json: 'string',
  suggestions: ['demo', 'empty', 'large:1000'],
  read: async (path, { runtime }) => {
    if (isSeedName(path)) return accept(async () => path);
    if (!/[./\\]/.test(path))
      return refuse(
        words`${self} must be demo, empty, large:N with N up to ${mostEvents}, or a file such as world.yaml, not "${path}"`,
      );
    const reading = await (await import('../../cli/json-file.ts')).readText(path, runtime);
    if (!('value' in reading)) return reading as Read<never>;
    return accept(async (now) => {
      const { readWorld } = await import('../../sandbox/world/file.ts');
      const file = readWorld(reading.value, path, now ?? runtime.clock.now());
      if (file.ok) return file.value;
      const { brokenFile } = await import('../../cli/messages/broken-file.ts');
      throw brokenFile(path, file.problems);
    });
  },
};

/** A time as of this machine's clock: new data has none yet. */
const firstMoment: Kind<number> = {
  ...momentFacts,
  read: async (raw, { settings: { zone }, runtime }) => {
    const { readTime } = await import('../../time/read.ts');
    const reading = readTime(raw, { zone, now: runtime.clock.now() });
    return reading.ok ? accept(Date.parse(reading.instant)) : refuse(words`${self}: ${reading.problem}`);
  },
};

/** What new data contains, and when its clock starts. */
export const seedEntries = {
  seed: entry(
    seedKind,
    'content of new data: demo (default), empty (people and tokens only), large:N (N more events) or a file such as world.yaml',
  ),
  now: entry(firstMoment, 'first moment of the clock for new data (default: the current time)'),
};

export const organizationKind = choice(
  kinds,
  'kind of the organization: team (default for new data), or individual, which has only its owner',
  { value: 'KIND' },
);

/** The faults that `given` says. `where` is what its problems are about. */
const faultsIn = async (given: unknown, where: Words): Promise<Read<Fault[]>> => {
  const { checkOperations, readFaults } = await import('../../sandbox/faults/faults.ts');
  const wrong = (before: Words) => (error: Error) => refuse(words`${before}${error.message}`);
  try {
    const faults = readFaults(given);
    return await checkOperations(faults).then(() => accept(faults), wrong([]));
  } catch (error) {
    return wrong(words`${where}: `)(error as Error);
  }
};

const faultKind: Kind<Fault[]> = {
  value: 'FAULT',
  json: 'string',
  read: (raw) => faultsIn(raw, [self]),
};

const faultFileKind: Kind<Fault[]> = {
  value: 'FILE',
  json: 'string',
  offers: 'files',
  read: async (raw, { runtime }) => {
    const reading = await (await import('../../cli/json-file.ts')).readJson(raw, runtime);
    return 'value' in reading ? faultsIn(JSON.parse(reading.value), words`${self} ${raw}`) : (reading as Read<never>);
  },
};

/** An exact name, so that no other page can point its own name here. */
const hostKind: Kind<string> = {
  value: 'NAME',
  json: 'string',
  isProse: true,
  read: (raw) => {
    const host = raw.toLowerCase();
    if (isHostName(host)) return accept(host);
    return refuse(words`${self} must be a name such as sandbox or sandbox:8080, not "${host}"`);
  },
};

const receiverKind: Kind<string> = {
  value: 'URL',
  json: 'string',
  read: async (url) => {
    const { isWebhookUrl } = await import('../../api/webhooks.ts');
    // The host is named here, so unlike the webhooks of clients it need not have https.
    if (isWebhookUrl(url.replace(/^http:/, 'https:'))) return accept(url);
    return refuse(words`${self} must be a URL such as http://127.0.0.1:8080/ or http://app:3000/hooks, not "${url}"`);
  },
};

const textFileKind: Kind<string> = {
  value: 'FILE',
  json: 'string',
  offers: 'files',
  read: async (raw, { runtime }) => (await import('../../cli/json-file.ts')).readText(raw, runtime),
};

const originKind: Kind<string> = {
  value: 'URL',
  json: 'string',
  read: (raw) => {
    const origin = originIn(raw);
    if (origin !== undefined) return accept(origin);
    return refuse(words`${self} must be an origin such as https://sched.test, without a path, not "${raw}"`);
  },
};

/** What every command that starts a sandbox server takes. */
const serving = {
  ...seedEntries,
  fault: entry(
    faultKind,
    "simulate a failure, such as 'events.list 503 at=2' or JSON; docs/sandbox.md lists all faults",
    { many: true },
  ),
  faults: entry(faultFileKind, 'file with a JSON array of faults', { heading: 'More flags' }),
  plan: choice(plans, "the organization's plan (default: the plan in the data, else enterprise)", { value: 'PLAN' }),
  kind: organizationKind,
  dialect: text('speak a dialect of the API, such as calendly; docs/dialects.md explains dialects', {
    value: 'NAME|FILE',
    heading: 'More flags',
  }),
  noLimits: toggle('turn off rate limits'),
  allowHost: entry(hostKind, 'also accept requests to this name, such as sandbox (with its own port) or sandbox:8080', {
    many: true,
    heading: 'More flags',
  }),
  baseUrl: entry(originKind, 'origin of all links, for a proxy in front of the sandbox: https://sched.test', {
    heading: 'More flags',
  }),
  cert: entry(textFileKind, 'certificate in PEM, to speak TLS', { heading: 'More flags' }),
  key: entry(textFileKind, 'key of the certificate in PEM', { heading: 'More flags' }),
  bind: entry(addressKind, 'listen on this address too (default 127.0.0.1, for this machine only)', {
    heading: 'More flags',
  }),
  mcpLog: file('write a line before each write at /mcp and one after it, as evidence', { heading: 'Safety' }),
  allowAdmin: toggle('with another address, let other machines open the desk and control the sandbox', {
    heading: 'More flags',
  }),
  oauth: choice(profileNames, 'be an authorization server that breaks clients; docs/sandbox.md explains each', {
    value: 'PROFILE',
    heading: 'More flags',
  }),
  autoConsent: toggle('approve every login without a click'),
  refreshReplayWindow: duration('how long a used refresh token gets the same reply again (default 0s)', {
    such: '10s',
    heading: 'More flags',
  }),
  webhookTo: entry(receiverKind, 'while it runs, deliver all webhook events to this URL'),
  signingKeyFile: keyFileEntry(words`with ${the('webhookTo')}: ${keyFileText}`, { heading: 'More flags' }),
};

const signsSomething = rule(['signingKeyFile', 'webhookTo'], (isGiven) =>
  isGiven('signingKeyFile') && !isGiven('webhookTo')
    ? [{ words: words`${the('signingKeyFile')} can only be used with ${the('webhookTo')}` }]
    : [],
);

/** Whether an address is another one than that of every sandbox. */
export const isOtherAddress = (address: unknown): boolean =>
  address !== undefined && address !== '127.0.0.1' && address !== 'localhost';

const reach = [
  rule(['bind', 'allowHost'], (isGiven, { given }) =>
    isOtherAddress(given.bind) && !isGiven('allowHost')
      ? [{ words: words`${the('bind')} needs ${the('allowHost')}: the name or address that clients use` }]
      : [],
  ),
  needs(['allowAdmin'], ['bind']),
  needs(['cert'], ['key']),
  needs(['key'], ['cert']),
] as const;

const port = { least: 0, most: 65_535 } as const;

const startPort = 4010;

const starting = {
  port: count(`port on 127.0.0.1; 0 for any free port (default ${startPort})`, { ...port, preset: startPort }),
  data: entry(
    dataKind,
    'store the data in this file, or in :memory: (default: the file that all sandbox commands share)',
  ),
  open: toggle('open the desk of the sandbox in your browser'),
  ...serving,
};

export const startInput = input(starting, signsSomething, ...reach);

export type StartInput = Values<typeof starting>;

export const runInput = input(
  {
    port: count('port on 127.0.0.1 (default 0: any free port)', { ...port, preset: 0 }),
    data: entry(dataKind, 'store the data in this file (default :memory:, new data each time)', {
      preset: ':memory:',
    }),
    ...serving,
  },
  signsSomething,
  ...reach,
);

export type ServingInput = Omit<StartInput, 'open'>;
