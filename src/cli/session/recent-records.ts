import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { HeadlessRuntime } from '../../runtime.ts';
import { directory } from '../../state/paths.ts';
import { readCacheFile, writeCache } from './identity.ts';
import type { RoomSettings } from './settings.ts';

/** How many records are remembered for each profile. */
export const mostRemembered = 500;

type Whose = Pick<RoomSettings, 'account' | 'sandbox'>;

const fileOf = (runtime: HeadlessRuntime, { account, sandbox }: Whose): string => {
  const whose = sandbox ? 'sandbox' : `${account?.name}\n${account?.profile.base_url ?? runtime.env.SCHED_BASE_URL}`;
  const fingerprint = hash('sha256', whose).slice(0, 32);
  return join(directory('cache', runtime), `shown-${fingerprint}.json`);
};

const readRecent = async (file: string): Promise<string[]> => {
  const { records } = await readCacheFile(file);
  return Array.isArray(records) ? records.map(String) : [];
};

/** `https://api.example.com/scheduled_events/E1/invitees/I1` ⇒ `invitees/I1`. Only this much is stored. */
const shortUri = (uri: string): string | undefined => /[a-z_]+\/[\w-]{1,128}$/.exec(uri)?.[0];

/** Remembers the URIs of records that a terminal showed, so that the beginning of an ID is enough afterwards. */
export const rememberShown = async (runtime: HeadlessRuntime, whose: Whose, uris: readonly string[]): Promise<void> => {
  const file = fileOf(runtime, whose);
  const before = await readRecent(file);
  const latest = uris.flatMap((uri) => shortUri(uri) ?? []);
  const records = [...new Set([...latest, ...before])].slice(0, mostRemembered);
  if (records.join() !== before.join()) await writeCache(runtime, file, { records });
};

/** The IDs of remembered records that begin like this. Only that one if it is an ID itself. */
export const recallIds = async (
  runtime: HeadlessRuntime,
  whose: Whose,
  collection: string,
  beginning: string,
): Promise<string[]> => {
  const ids = (await readRecent(fileOf(runtime, whose)))
    .filter((record) => record.startsWith(`${collection}/${beginning}`))
    .map((record) => record.slice(collection.length + 1));
  return ids.includes(beginning) ? [beginning] : ids;
};
