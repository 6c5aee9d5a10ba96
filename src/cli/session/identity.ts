import { hash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { collections } from '../../api/collections.ts';
import type { WithUri } from '../../api/sent.ts';
import type { SentUser } from '../../api/users.ts';
import { fallBack, hasCategory, SchedError } from '../../base/errors.ts';
import { isObject, type Json, jsonIn } from '../../base/json.ts';
import { day } from '../../base/milliseconds.ts';
import { once } from '../../base/once.ts';
import { the, words } from '../../base/words.ts';
import type { Client } from '../../client/client.ts';
import { isPlainId, isUri, readReference } from '../../client/ids.ts';
import type { Credential } from '../../http/authorize.ts';
import { readdir, rm } from '../../node/files.ts';
import type { HeadlessRuntime } from '../../runtime.ts';
import { readPrivateFile, writePrivateFile } from '../../state/files.ts';
import { directory, isHomeless } from '../../state/paths.ts';
import type { Connection } from './connection.ts';

/** The user and organization of the token, and the root of the service's URIs. */
interface Owner {
  user: string;
  /** Empty if the user has none. */
  organization: string;
  root: string;
}

/** Who `me` and `current` are. Each part is found on first use, so a part that nobody needs can't fail a command. */
export interface Identity {
  /** The URI of the default user: SCHED_USER, else the profile's user, else the token's own. */
  user(): Promise<string>;
  /** The URI of the default organization. Throws if there is none. */
  organization(): Promise<string>;
  /** The root of the service's URIs. If the token may not read it: the profile's `uri_root`, else the base URL. */
  root(): Promise<string>;
  /** Whether the default user is the token's own because no other is set. */
  isTokenUser(): Promise<boolean>;
  /** Whether a URI may be that of another user than the token's. */
  mayBeOther(user: string): Promise<boolean>;
}

/** A token's owner never changes, but their organization and its plan may. */
export const staleAfterMs = day;
/** Cache files older than this are deleted: their tokens are no longer in use. */
const forgottenAfterMs = 30 * staleAfterMs;

/** `https://api.example.com/users/ABC` ⇒ `https://api.example.com`. */
const baseOfUri = (uri: string): string | undefined => {
  const root = /^(https?:\/\/.+)\/[a-z_]+\/[\w-]+$/.exec(uri)?.[1];
  return root !== undefined && URL.canParse(root) ? root : undefined;
};

/** The cache file for a token and a kind of fact, named after the token's hash. The token itself is never written. */
export const cacheFile = (runtime: HeadlessRuntime, { origin, token }: Credential, kind: string): string => {
  const fingerprint = hash('sha256', `${origin}\n${token}`).slice(0, 32);
  return join(directory('cache', runtime), `${kind}-${fingerprint}.json`);
};

/** The facts in a cache file. Empty if it can't be read. */
export const readCacheFile = async (file: string): Promise<Json> => {
  const value = jsonIn(await readPrivateFile(file).catch(() => undefined));
  return isObject(value) ? value : {};
};

/** The facts in a cache file, unless they are older than this. */
export const readYounger = async (file: string, now: number, ageMs: number): Promise<Json | undefined> => {
  const facts = await readCacheFile(file);
  return typeof facts.at === 'number' && Math.abs(now - facts.at) <= ageMs ? facts : undefined;
};

const readCache = async (file: string, now: number): Promise<Owner | undefined> => {
  const { user, organization, root } = (await readYounger(file, now, staleAfterMs)) ?? {};
  return [user, organization, root].every((part) => typeof part === 'string')
    ? ({ user, organization, root } as Owner)
    : undefined;
};

/** Writes a cache file, and deletes the files of tokens that are no longer in use. */
export const writeCache = async (runtime: HeadlessRuntime, file: string, facts: object): Promise<void> => {
  if (isHomeless('cache', runtime)) return;
  const { clock, secrets } = runtime;
  const text = JSON.stringify({ ...facts, at: clock.now() });
  // R12: a service may put the token in a URI.
  if (secrets.redact(text) !== text) return;
  const folder = dirname(file);
  // What is known about the filters of a service belongs to no token.
  const isOfToken = (name: string) => /^(?!filters-)\w+-[0-9a-f]{32}\./.test(name);
  const others = (await readdir(folder).catch(() => [])).filter(isOfToken);
  for (const path of others.map((name) => join(folder, name)))
    if ((await readYounger(path, clock.now(), forgottenAfterMs)) === undefined)
      await rm(path, { force: true }).catch(() => {});
  // The cache only saves a request, so a write error must not stop the command.
  await writePrivateFile(file, text, runtime).catch(() => {});
};

/**
 * The token's own user. A service may have no /users/me: 404 there counts like a token that may not read users, unless
 * the reply isn't that of a service and no dialect explains it. Then the base URL is wrong.
 */
export const readOwnUser = async (client: Client): Promise<WithUri<SentUser>> => {
  const { users } = await import('../../api/users.ts');
  return client.call(users.me, {}).catch((error: unknown) => {
    if (!hasCategory(error, 'forbidden', 'not-found')) throw error;
    const isMissing = error.category === 'not-found';
    if (isMissing && error.facts.http?.isForeign && !client.hasDialect)
      throw new SchedError('environment', 'The base URL is not that of a scheduling service', {
        reason: `the reply to ${error.facts.http.path} is a 404 in another form`,
        advice: words`check the base URL; for a service without ${users.me.path}, add ${the('user')} ID or set SCHED_USER`,
        outcome: 'not-applied',
        http: error.facts.http,
      });
    const message = isMissing ? "The service can't say who the token belongs to" : "The token can't read its own user";
    throw new SchedError('forbidden', message, {
      reason: isMissing
        ? `it has no ${users.me.path} (or the base URL is wrong)`
        : 'the token lacks the scope users:read',
      advice: words`add ${the('user')} ID or ${the('org')} ID, or set SCHED_USER or SCHED_ORG`,
    });
  });
};

const askForOwner = async (client: Client, baseUrl: string): Promise<Owner> => {
  const { uri, current_organization: own } = await readOwnUser(client);
  return { user: uri, organization: typeof own === 'string' ? own : '', root: baseOfUri(uri) ?? baseUrl };
};

/** Who the token belongs to: known from the login, else from the cache, else from the service. */
export const ownerOfToken = async (
  runtime: HeadlessRuntime,
  { baseUrl, owner, defaults, isSandbox, credentials }: Connection,
  client: () => Promise<Client>,
): Promise<Owner> => {
  if (isSandbox) return askForOwner(await client(), baseUrl);
  if (owner?.user && owner.organization) {
    const { user, organization } = owner;
    return { user, organization, root: defaults?.uriRoot ?? baseOfUri(user) ?? baseUrl };
  }
  const file = cacheFile(runtime, await credentials.current(), 'identity');
  const cache = await readCache(file, runtime.clock.now());
  if (cache !== undefined) return cache;
  const identity = await askForOwner(await client(), baseUrl);
  await writeCache(runtime, file, identity);
  return identity;
};

const sources = {
  users: { variable: 'SCHED_USER', key: 'user' },
  organizations: { variable: 'SCHED_ORG', key: 'organization' },
};

const sourceOf = (collection: keyof typeof sources): string =>
  `it comes from ${sources[collection].variable} or from the profile's ${sources[collection].key}`;

/**
 * A default user or organization as set in the environment or a profile: a URI, an ID or a name. Undefined if it is the
 * token's own.
 */
const readSetting = (value: string | undefined, collection: keyof typeof sources): string | undefined => {
  if (!value || value === collections[collection].self) return undefined;
  const { variable, key } = sources[collection];
  const read = readReference(value, collection);
  if (read.ok) return value;
  throw new SchedError('environment', `The default ${key} ${read.problem}`, {
    reason: sourceOf(collection),
    advice: [`set ${variable}=ID, or run `, { command: ['profiles', 'set', key, 'ID'] }],
  });
};

interface Sources {
  env: HeadlessRuntime['env'];
  connection(): Promise<Connection>;
  owner(): Promise<Owner>;
  /** Looks up the URI of a user by name or email address. */
  findUser(who: string): Promise<string>;
}

export const createIdentity = ({ env, connection, owner: ask, findUser }: Sources): Identity => {
  const settings = once(async () => {
    const { isSandbox, defaults = {} } = await connection();
    // The built-in sandbox has its own account, so the environment doesn't apply.
    if (isSandbox) return {};
    return {
      user: readSetting(env.SCHED_USER || defaults.user, 'users'),
      organization: readSetting(env.SCHED_ORG || defaults.organization, 'organizations'),
    };
  });
  const owner = once(ask);
  /** A part of the token's owner, as the login knows it. If the token can't read it, the profile's value is used. */
  const own = async (part: 'user' | 'organization'): Promise<string> => {
    const uri = (await connection()).owner?.[part];
    if (uri) return uri;
    try {
      return (await owner())[part];
    } catch (error) {
      const { spare } = await connection();
      const setting = hasCategory(error, 'forbidden') ? readSetting(spare?.[part], `${part}s`) : undefined;
      if (setting === undefined) throw error;
      return uriOf(setting, `${part}s`);
    }
  };
  const uriOf = async (setting: string, collection: string): Promise<string> => {
    if (isUri(setting)) return setting;
    // An ID answers without a request, so a word that may be an ID is not looked up as a name.
    if (isPlainId(setting)) return `${await root()}/${collection}/${setting}`;
    return findUser(setting).catch((error: unknown) => {
      if (!hasCategory(error, 'not-found', 'usage')) throw error;
      throw error.with({ reason: sourceOf('users') });
    });
  };

  const root = async (): Promise<string> => {
    const { baseUrl, defaults, owner: login } = await connection();
    const { user, organization } = await settings();
    const roots = [user, organization, login?.user, login?.organization].map((uri) => baseOfUri(uri ?? ''));
    const namedRoot = roots.find((each) => each !== undefined);
    const likelyRoot = defaults?.uriRoot ?? namedRoot ?? baseUrl;
    if (namedRoot !== undefined || (user !== undefined && organization !== undefined)) return likelyRoot;
    const identity = await owner().catch(fallBack({ root: likelyRoot }, 'forbidden'));
    return identity.root;
  };

  const user = once(async () => {
    const setting = (await settings()).user;
    return setting === undefined ? own('user') : uriOf(setting, 'users');
  });
  const organization = once(async () => {
    const setting = (await settings()).organization;
    const uri = setting === undefined ? await own('organization') : await uriOf(setting, 'organizations');
    if (uri !== '') return uri;
    // Any field but `uri` may be missing from a reply.
    throw new SchedError('usage', "The token's user has no organization", {
      reason: 'the service returned no current_organization for this user',
      advice: words`add ${the('org')} ID, or set SCHED_ORG`,
    });
  });
  return {
    user,
    organization,
    root,
    isTokenUser: async () => (await settings()).user === undefined,
    mayBeOther: async (uri) => {
      const { user: setUser, organization: setOrganization } = await settings();
      const login = (await connection()).owner?.user;
      // SCHED_USER and SCHED_ORG together answer without a request who the token belongs to, but not for certain.
      // Assumed (paging.own-user): lists accept `organization` beside the token's own `user`.
      if (login || (setUser !== undefined && setOrganization !== undefined)) return uri !== login;
      const identity = await owner().catch(fallBack(undefined, 'forbidden'));
      return uri !== identity?.user;
    },
  };
};
