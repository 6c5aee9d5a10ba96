import { createHash } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Client } from '../../client/client.ts';
import { isPlainId } from '../../client/ids.ts';
import { isObject, type Json } from '../../client/reading.ts';
import { SchedError } from '../../errors.ts';
import type { Credential } from '../../http/authorize.ts';
import type { Runtime } from '../../runtime.ts';
import { readPrivateFile, writePrivateFile } from '../../state/files.ts';
import { directory, isHomeless } from '../../state/paths.ts';
import type { Connection } from './connection.ts';

/** The user and organization of the token, and the root of the service's URIs. */
export interface Identity {
  user: string;
  organization: string;
  root: string;
}

/** A token's owner never changes, but their organization and its plan may. */
export const staleAfterMs = 24 * 3_600_000;
/** Cache files older than this are deleted: their tokens are no longer in use. */
const forgottenAfterMs = 30 * staleAfterMs;

/** `https://api.example.com/users/ABC` ⇒ `https://api.example.com`. */
export const baseOfUri = (uri: string): string | undefined => {
  const root = /^(https?:\/\/.+)\/[a-z_]+\/[\w-]+$/.exec(uri)?.[1];
  return root !== undefined && URL.canParse(root) ? root : undefined;
};

/** The URI for a user or organization given as an ID or URI in the environment or a profile. */
export const asUri = (value: string, root: string, collection: 'users' | 'organizations'): string => {
  if (value.includes('://')) return value;
  if (isPlainId(value)) return `${root}/${collection}/${value}`;
  const [variable, key] = collection === 'users' ? ['SCHED_USER', 'user'] : ['SCHED_ORG', 'organization'];
  throw new SchedError('environment', `"${value}" is neither an ID nor a URI under /${collection}/`, {
    reason: `it comes from ${variable} or from the profile's ${key}`,
    hint: `set ${variable}=ID, or run sched profiles set ${key} ID`,
    outcome: 'not-sent',
  });
};

/** The token's organization. Throws if there is none: any field but `uri` may be missing from a reply. */
export const ownOrganization = ({ organization }: Identity): string => {
  if (organization !== '') return organization;
  throw new SchedError('usage', "The token's user has no organization", {
    reason: 'the service returned no current_organization for this user',
    hint: 'add --org ID, or set SCHED_ORG',
    outcome: 'not-sent',
  });
};

/** The cache file for a token and a kind of fact, named after the token's hash. The token itself is never written. */
export const cacheFile = (runtime: Runtime, { origin, token }: Credential, kind: 'identity' | 'plan'): string => {
  const fingerprint = createHash('sha256').update(`${origin}\n${token}`).digest('hex').slice(0, 32);
  return join(directory('cache', runtime), `${kind}-${fingerprint}.json`);
};

const readYounger = async (file: string, now: number, ageMs: number): Promise<Json | undefined> => {
  const text = await readPrivateFile(file).catch(() => undefined);
  try {
    const value: unknown = JSON.parse(text ?? '');
    const isYounger = isObject(value) && typeof value.at === 'number' && Math.abs(now - value.at) <= ageMs;
    return isYounger ? value : undefined;
  } catch {
    return undefined;
  }
};

const readCache = async (file: string, now: number): Promise<Identity | undefined> => {
  const { user, organization, root } = (await readYounger(file, now, staleAfterMs)) ?? {};
  return [user, organization, root].every((part) => typeof part === 'string')
    ? ({ user, organization, root } as Identity)
    : undefined;
};

/** Writes a cache file, and deletes the files of tokens that are no longer in use. */
export const writeCache = async (runtime: Runtime, file: string, facts: object): Promise<void> => {
  if (isHomeless('cache', runtime)) return;
  const { clock, randomBytes, secrets } = runtime;
  const text = JSON.stringify({ ...facts, at: clock.now() });
  // R12: a service may put the token in a URI.
  if (secrets.redact(text) !== text) return;
  const folder = dirname(file);
  const others = (await readdir(folder).catch(() => [])).filter((name) => /^(identity|plan)-[0-9a-f]{32}\./.test(name));
  for (const path of others.map((name) => join(folder, name)))
    if ((await readYounger(path, clock.now(), forgottenAfterMs)) === undefined)
      await rm(path, { force: true }).catch(() => {});
  const draft = Buffer.from(randomBytes(8)).toString('hex');
  // The cache only saves a request, so a write error must not stop the command.
  await writePrivateFile(file, text, draft).catch(() => {});
};

/** The identity of a token from the cache, or undefined. */
export const rememberedIdentity = (runtime: Runtime, credential: Credential): Promise<Identity | undefined> =>
  readCache(cacheFile(runtime, credential, 'identity'), runtime.clock.now());

const ask = async (client: Client, baseUrl: string): Promise<Identity> => {
  const { users } = await import('../../api/users.ts');
  const me = await client.call(users.me, {}).catch((error: unknown) => {
    if (!(error instanceof SchedError) || error.category !== 'forbidden') throw error;
    throw new SchedError('forbidden', 'The token may not read its own user', {
      reason: 'the token lacks the scope users:read',
      hint: 'add --user ID or --org ID, or set SCHED_USER and SCHED_ORG',
      outcome: 'not-sent',
    });
  });
  const uri = String(me.uri);
  return { user: uri, organization: String(me.current_organization ?? ''), root: baseOfUri(uri) ?? baseUrl };
};

/** Returns the identity of the token: from the environment or profile, else from the cache, else from the service. */
export const identify = async (
  runtime: Runtime,
  connection: Connection,
  client: () => Promise<Client>,
): Promise<Identity> => {
  const { env, clock } = runtime;
  const { baseUrl, defaults = {}, isSandbox } = connection;
  // The built-in sandbox has its own account, so the environment doesn't apply.
  if (isSandbox) return ask(await client(), baseUrl);
  const user = env.SCHED_USER || defaults.user;
  const organization = env.SCHED_ORG || defaults.organization;
  const known =
    defaults.uriRoot ?? [user, organization].map((value) => baseOfUri(value ?? '')).find((root) => root !== undefined);
  if (user && organization) {
    const root = known ?? baseUrl;
    return { user: asUri(user, root, 'users'), organization: asUri(organization, root, 'organizations'), root };
  }
  const file = cacheFile(runtime, await connection.credentials.current(), 'identity');
  const remembered = await readCache(file, clock.now());
  const found = remembered ?? (await ask(await client(), baseUrl));
  if (remembered === undefined) await writeCache(runtime, file, found);
  const { root } = found;
  return {
    root,
    user: user ? asUri(user, root, 'users') : found.user,
    organization: organization ? asUri(organization, root, 'organizations') : found.organization,
  };
};
