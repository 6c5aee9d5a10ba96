import { the, words } from '../../base/words.ts';
import type { Value } from '../input/field-kinds.ts';
import { type How, readValue } from '../input/kind.ts';
import type { Problems } from '../messages/problems.ts';
import type { FieldFlag } from './field-flags.ts';

/** Reports a time window that is empty, in the words and the zone of the person. */
export const checkWindow = async (
  { problems }: { problems: Problems },
  values: readonly [FieldFlag, Value[]][],
  how: How,
): Promise<void> => {
  const edge = (wanted: string) => values.find(([{ name, part }]) => name === wanted && part !== 'body');
  const timeOf = (value: Value | undefined) =>
    value !== undefined && 'ready' in value ? Date.parse(String(value.ready)) : Number.NaN;
  const [since, until] = [timeOf(edge('since')?.[1][0]), timeOf(edge('until')?.[1][0])];
  if (!(since >= until)) return;
  const { dayText, timeLabel } = await import('../../time/label.ts');
  const { wallClock } = await import('../../time/show.ts');
  const { midnightOf, utcText } = await import('../../time/wall.ts');
  const { zone } = how.settings;
  const wallAt = wallClock(zone);
  const now = await how.now();
  // A window ends with the day before its last midnight.
  const label = (at: number, ofDay: number): string => {
    const wall = wallAt(at);
    return midnightOf(wall) === wall ? dayText(wall + ofDay, wallAt(now)) : timeLabel(utcText(at), zone, now)!;
  };
  const [begin, end] = [String(how.given.since), String(how.given.until)];
  // `monday` is the coming one, and people who look back mean the last one.
  const last = await readValue(edge('since')![0].kind, `last ${begin}`, how);
  const isMeant = last.ok && 'value' in last && timeOf(last.value) < until;
  problems.report({
    about: the('since'),
    raw: begin,
    words: words`The time window is empty: it begins ${label(since, 0)} (${the('since')} ${begin}) and ends ${label(until, -1)} (${the('until')} ${end}), in ${zone}`,
    correction: isMeant ? `last ${begin}` : undefined,
  });
};
