import { events } from '../../../api/events.ts';
import { nearest } from '../../../nearest.ts';
import { entry } from '../../input/entry.ts';
import { both, input, type Values } from '../../input/input.ts';
import { accept, type Kind, refuse } from '../../input/kind.ts';
import { toggle } from '../../input/kinds.ts';
import { rule } from '../../input/relations.ts';
import { self, the, words } from '../../input/words.ts';
import type { FieldFlag } from '../../operation/field-flags.ts';
import { requestInput } from '../../operation/input.ts';
import { type Grouping, groupings, type Sort, sorts } from './group-by.ts';

/** One grouping, or two with a comma between them. */
const groupingKind: Kind<Grouping[]> = {
  value: 'GROUP[,GROUP]',
  json: 'string',
  choices: groupings,
  read: (raw) => {
    const parts = String(raw).split(',');
    const meant = new Set(parts.map((part) => nearest(part, groupings)));
    const isPossible = parts.length <= 2 && meant.size === parts.length && !meant.has(undefined);
    if (isPossible && [...meant].join() === raw) return accept([...meant] as Grouping[]);
    return refuse(
      words`${self} must be one of ${groupings.join(', ')}, or two of them such as host,week, not "${String(raw)}"`,
      isPossible ? [...meant].join() : undefined,
    );
  },
};

/** Counts are sorted with the highest first, names from A to Z. Both may be said, as in other lists. */
const sortKind: Kind<Sort> = {
  value: 'COLUMN',
  json: 'string',
  choices: sorts,
  read: (raw) => {
    const known = sorts.find((name) => name === raw || `${name}:${name === 'name' ? 'asc' : 'desc'}` === raw);
    if (known !== undefined) return accept(known);
    const problem = words`${self} must be one of ${sorts.join(', ')}, not "${String(raw)}"`;
    return refuse(problem, nearest(String(raw), sorts));
  },
};

const entries = {
  by: entry(groupingKind, 'what to group the events by (default event-type)', { preset: 'event-type' }),
  sort: entry(sortKind, 'which groups to show first'),
  noShows: toggle('also count no-shows: reads the invitees of each event'),
};

export type StatsInput = Values<typeof entries>;

const countsWhatItSorts = rule(['sort', 'noShows'], (isGiven, { given }) =>
  /^no-shows(:|$)/.test(String(given.sort)) && !isGiven('noShows')
    ? [{ words: words`${the('sort')} no-shows needs ${the('noShows')}`, adds: 'no-shows' }]
    : [],
);

export const statsInput = (filters: FieldFlag[]) =>
  both(requestInput(events.list, filters), input(entries, countsWhatItSorts));
