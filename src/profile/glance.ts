import { urlProblem } from '../http/proxy.ts';
import { formats } from '../output/formats.ts';
import { zoneProblem } from '../time/zone.ts';
import { profileName } from './name.ts';
import type { Config, Profile } from './schema.ts';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isUrl = (text: string): boolean => urlProblem(text) === undefined && !text.endsWith('/');
const isSomething = (text: string): boolean => text !== '';

const isFine: Record<Exclude<keyof Profile, 'login'>, (text: string) => boolean> = {
  base_url: isUrl,
  auth_url: isUrl,
  mcp_url: isUrl,
  client_id: isSomething,
  issuer: isUrl,
  user: isSomething,
  organization: isSomething,
  timezone: (text) => zoneProblem(text) === undefined,
  output: (text) => (formats as readonly string[]).includes(text),
  uri_root: isUrl,
};

const isFineLogin = (value: unknown): boolean =>
  isObject(value) &&
  Object.keys(value).toSorted().join() === 'client,issuer,store,user' &&
  Object.values(value).every((text) => typeof text === 'string') &&
  (value.store === 'keychain' || value.store === 'file');

const isFineProfile = (value: unknown): boolean =>
  isObject(value) &&
  value.base_url !== undefined &&
  Object.entries(value).every(([key, inner]) =>
    key === 'login'
      ? isFineLogin(inner)
      : typeof inner === 'string' && Object.hasOwn(isFine, key) && isFine[key as keyof typeof isFine](inner),
  );

/**
 * Whether a file is just as we write it. Every command looks at it, and this takes a fraction of what making the schema
 * does, which has the last word on all that is not plainly right.
 */
export const isPlainConfig = (value: unknown): value is Config =>
  isObject(value) &&
  Object.keys(value).every((key) => ['version', 'current', 'profiles'].includes(key)) &&
  value.version === 1 &&
  (value.current === undefined || typeof value.current === 'string') &&
  isObject(value.profiles) &&
  Object.entries(value.profiles).every(([name, profile]) => profileName.test(name) && isFineProfile(profile));
