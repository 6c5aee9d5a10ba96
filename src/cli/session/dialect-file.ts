import { hash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { allOperations } from '../../api/catalogue.ts';
import calendly from '../../dialects/calendly.yaml' with { type: 'text' };
import { addressOf, type Dialect } from '../../dialects/dialect.ts';
import type { DialectFile } from '../../dialects/schema.ts';
import { codeOf, SchedError } from '../../errors.ts';
import type { Runtime } from '../../runtime.ts';
import { readNamedFile } from '../../state/named-file.ts';
import { directoryPath } from '../../state/paths.ts';
import { version } from '../../version.ts';
import { brokenFile } from '../messages/broken-file.ts';
import { readCacheFile, writeCache } from './identity.ts';

/** The dialects that come with sched, by name. */
export const shippedDialects: Readonly<Record<string, string>> = { calendly };

const mostBytes = 1024 * 1024;

const isName = (text: string): boolean => /^[a-z0-9][a-z0-9-]*$/.test(text);

/** What the user wrote, as it is kept: a name, or the absolute path of a file. */
export const dialectSetting = (typed: string): string => (isName(typed) ? typed : resolve(typed));

interface Source {
  /** The file, or the name of a shipped dialect. */
  place: string;
  text: string;
}

/** The text of a dialect: a name means a file among the settings, then a shipped one. */
const readSource = async (chosen: string, runtime: Runtime): Promise<Source> => {
  const place = isName(chosen) ? join(directoryPath('config', runtime), 'dialects', `${chosen}.yaml`) : resolve(chosen);
  try {
    return { place, text: (await readNamedFile(place, runtime.interrupted, mostBytes)).toString('utf8') };
  } catch (error) {
    runtime.interrupted.throwIfAborted();
    const isThere = !['ENOENT', 'ENOTDIR'].includes(codeOf(error));
    if (!isThere && isName(chosen) && Object.hasOwn(shippedDialects, chosen))
      return { place: chosen, text: shippedDialects[chosen]! };
    throw new SchedError('environment', `Can't read the dialect ${chosen}`, {
      reason: `${place}: ${codeOf(error)}`,
      advice: `sched has these dialects: ${Object.keys(shippedDialects).join(', ')}`,
    });
  }
};

/** Reads and checks a dialect. Throws an error with all of its problems. */
export const readDialect = async ({ place, text }: Source): Promise<DialectFile> => {
  const [{ readYaml }, { DialectFile: schema }, { problemsIn }] = await Promise.all([
    import('../../yaml-file.ts'),
    import('../../dialects/schema.ts'),
    import('../../dialects/check.ts'),
  ]);
  const content = readYaml(text, place, schema);
  if (!content.ok) throw brokenFile(place, content.problems, 'environment');
  const problems = problemsIn(content.value, await allOperations());
  if (problems.length === 0) return content.value;
  throw brokenFile(
    place,
    problems.map(({ path, message }) => content.problem(path, message)),
    'environment',
  );
};

/** The writes that a dialect sends to another address, for people who decide whether to use it. */
export const movedWrites = async (dialect: Dialect): Promise<string[]> =>
  (await allOperations()).flatMap((row) => {
    const { method, path } = addressOf(dialect, row);
    const isMoved = row.method !== 'GET' && (method !== row.method || path !== row.path);
    return isMoved ? [`${row.name}: ${method} ${path}`] : [];
  });

/** Reads a dialect by its name or file. The checked content is cached by its digest: reading YAML takes long. */
export const loadDialect = async (chosen: string, runtime: Runtime): Promise<Dialect> => {
  const source = await readSource(chosen, runtime);
  const digest = hash('sha256', `${version}\n${source.text}`, 'hex').slice(0, 32);
  const cache = join(directoryPath('cache', runtime), `dialect-${digest}.json`);
  const { file } = (await readCacheFile(cache)) as { file?: DialectFile };
  const content = file ?? (await readDialect(source));
  if (file === undefined) await writeCache(runtime, cache, { file: content });
  return { ...content, digest, place: source.place };
};
