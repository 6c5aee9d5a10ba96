import { join, resolve } from 'node:path';
import { allOperations } from '../../api/catalogue.ts';
import { codeOf, SchedError } from '../../base/errors.ts';
import { addressOf, type Dialect } from '../../dialects/dialect.ts';
import { type DialectSource, digestOf, parseDialect, shippedDialects } from '../../dialects/read.ts';
import type { DialectFile } from '../../dialects/schema.ts';
import type { HeadlessRuntime } from '../../runtime.ts';
import { readNamedFile } from '../../state/named-file.ts';
import { directoryPath } from '../../state/paths.ts';
import { brokenFile } from '../messages/broken-file.ts';
import { readCacheFile, writeCache } from './identity.ts';

const mostBytes = 1024 * 1024;

const isName = (text: string): boolean => /^[a-z0-9][a-z0-9-]*$/.test(text);

/** What the user wrote, as it is kept: a name, or the absolute path of a file. */
export const dialectSetting = (text: string): string => (isName(text) ? text : resolve(text));

/** The text of a dialect: a name means a file among the settings, then a shipped one. */
const readSource = async (nameOrFile: string, runtime: HeadlessRuntime): Promise<DialectSource> => {
  const place = isName(nameOrFile)
    ? join(directoryPath('config', runtime), 'dialects', `${nameOrFile}.yaml`)
    : resolve(nameOrFile);
  try {
    return { place, text: (await readNamedFile(place, runtime.interrupted, mostBytes)).toString('utf8') };
  } catch (error) {
    runtime.interrupted.throwIfAborted();
    const isThere = !['ENOENT', 'ENOTDIR'].includes(codeOf(error));
    if (!isThere && isName(nameOrFile) && Object.hasOwn(shippedDialects, nameOrFile))
      return { place: nameOrFile, text: shippedDialects[nameOrFile]! };
    throw new SchedError('environment', `Can't read the dialect ${nameOrFile}`, {
      reason: `${place}: ${codeOf(error)}`,
      advice: `sched has these dialects: ${Object.keys(shippedDialects).join(', ')}`,
    });
  }
};

/** Reads and checks a dialect. Throws an error with all of its problems. */
export const readDialect = async (source: DialectSource): Promise<Dialect> => {
  const content = await parseDialect(source);
  if (!content.ok) throw brokenFile(source.place, content.problems, 'environment');
  return content.value;
};

/** The writes that a dialect sends to another address, for people who decide whether to use it. */
export const movedWrites = async (dialect: Dialect): Promise<string[]> =>
  (await allOperations()).flatMap((row) => {
    const { method, path } = addressOf(dialect, row);
    const isMoved = row.method !== 'GET' && (method !== row.method || path !== row.path);
    return isMoved ? [`${row.name}: ${method} ${path}`] : [];
  });

/** Reads a dialect by its name or file. The checked content is cached by its digest: reading YAML takes long. */
export const loadDialect = async (nameOrFile: string, runtime: HeadlessRuntime): Promise<Dialect> => {
  const source = await readSource(nameOrFile, runtime);
  const digest = digestOf(source.text);
  const cache = join(directoryPath('cache', runtime), `dialect-${digest}.json`);
  const { file } = (await readCacheFile(cache)) as { file?: DialectFile };
  const content = file ?? (await readDialect(source));
  if (file === undefined) await writeCache(runtime, cache, { file: content });
  return { ...content, digest, place: source.place };
};

/** Without the service's own free times, they are worked out from hours and events. */
const withoutFreeTimes = { 'event-types.available-times': false } as const;

/** The dialect for a mirror: it has what the service has, under the names of the catalogue. */
export const withCatalogueNames = ({ operations = {}, records: _, page_size: __, ...dialect }: Dialect): Dialect => {
  const plain = Object.entries(operations).map(([name, wire]) => {
    if (wire === false) return [name, wire];
    return [name, { ...(wire.lacks && { lacks: wire.lacks }), ...(wire.reply?.no_uri && { reply: { no_uri: true } }) }];
  });
  return { ...dialect, operations: { ...Object.fromEntries(plain), ...withoutFreeTimes } };
};
