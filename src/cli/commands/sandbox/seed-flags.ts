import { isSeedName, mostEvents, type Seed } from '../../../sandbox/seed/name.ts';
import { readTime } from '../../../time/read.ts';
import type { Flag, Invocation } from '../../command.ts';
import { readTextFile } from '../../json-file.ts';
import { brokenFile } from '../../messages/broken-file.ts';

export const seedFlags: Flag[] = [
  {
    name: 'seed',
    value: 'WORLD',
    suggestions: ['demo', 'empty', 'large:1000'],
    description:
      'content of new data: demo (default), empty (people and tokens only), large:N (N more events) or a file such as world.yaml',
  },
  { name: 'now', value: 'TIME', description: 'first moment of the clock for new data (default: the current time)' },
];

/** What new data contains, and when its clock starts. */
export const readSeed = async ({
  context: { runtime, settings },
  typed,
  problems,
}: Invocation): Promise<{ world: Seed | undefined; now: number | undefined }> => {
  const reading =
    typed.now === undefined
      ? undefined
      : readTime(String(typed.now), { zone: settings.zone, now: runtime.clock.now() });
  if (reading?.ok === false) problems.add(`--now: ${reading.problem}`);
  const now = reading?.ok ? Date.parse(reading.instant) : undefined;
  const { seed } = typed;
  if (seed === undefined || isSeedName(seed)) return { world: seed, now };
  const path = String(seed);
  if (!/[./\\]/.test(path)) {
    problems.add(
      `--seed must be demo, empty, large:N with N up to ${mostEvents}, or a file such as world.yaml, not "${path}"`,
    );
    return { world: undefined, now };
  }
  const text = await readTextFile(path, '--seed', runtime, problems);
  if (text === undefined) return { world: undefined, now };
  const { readWorld } = await import('../../../sandbox/world/file.ts');
  const file = readWorld(text, path, now ?? runtime.clock.now());
  if (!file.ok) throw brokenFile(path, file.problems);
  return { world: file.value, now };
};
