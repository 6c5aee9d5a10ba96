import { changeRules } from '../../time/availability-rules.ts';
import { readWrittenHours } from '../../time/written-hours.ts';
import type { Rule } from '../rules/availability.ts';
import type { Draft, Path } from './draft.ts';
import type { AvailabilityEntry } from './schema.ts';

/**
 * The rules of an entry. `hours` are the whole week and start afresh, `dates` change what is inherited, and `rules` are
 * taken as they are.
 */
export const hoursOf = (draft: Draft, entry: AvailabilityEntry, inherited: readonly Rule[], path: Path): Rule[] => {
  if (entry.rules !== undefined) return entry.rules;
  const { week, set, removed } = readWrittenHours(entry, (place, message) =>
    draft.refuse([...path, ...place], message),
  );
  return changeRules(entry.hours === undefined ? inherited : week, set, removed) as unknown as Rule[];
};
