import { events } from '../../api/events.ts';
import { nearest } from '../../base/nearest.ts';
import { self, the, words } from '../../base/words.ts';
import { entry } from '../../cli/input/entry.ts';
import type { Given } from '../../cli/input/given.ts';
import { both, input, type Values } from '../../cli/input/input.ts';
import { accept, type Kind, refuse } from '../../cli/input/kind.ts';
import { refuseChoice, toggle } from '../../cli/input/kinds.ts';
import { rule } from '../../cli/input/relations.ts';
import type { FieldFlag } from '../../cli/operation/field-flags.ts';
import { requestInput } from '../../cli/operation/input.ts';

/** What events show themselves. */
export const eventGroupings = ['host', 'event-type', 'day', 'week', 'month', 'weekday', 'hour', 'status'] as const;

/** What `events stats` can group by. */
const groupings = [...eventGroupings, 'invitee'] as const;
export type Grouping = (typeof groupings)[number];

/** What it can order the groups by. */
const sorts = ['booked', 'canceled', 'no-shows', 'hours', 'name'] as const;
export type Sort = (typeof sorts)[number];

/** One grouping, or two with a comma between them. */
const groupingKind: Kind<Grouping[]> = {
  value: 'GROUP[,GROUP]',
  json: 'string',
  choices: groupings,
  read: (raw) => {
    const parts = raw.split(',');
    const meant = new Set(parts.map((part) => nearest(part, groupings)));
    const isPossible = parts.length <= 2 && meant.size === parts.length && !meant.has(undefined);
    if (isPossible && [...meant].join() === raw) return accept([...meant] as Grouping[]);
    return refuse(
      words`${self} must be one of ${groupings.join(', ')}, or two of them such as host,week, not "${raw}"`,
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
    const sort = sorts.find((name) => name === raw || `${name}:${name === 'name' ? 'asc' : 'desc'}` === raw);
    return sort === undefined ? refuseChoice(raw, sorts) : accept(sort);
  },
};

const entries = {
  by: entry(groupingKind, 'what to group the events by (default event-type)', { preset: 'event-type' }),
  sort: entry(sortKind, 'which groups to show first'),
  noShows: toggle('also count no-shows: reads the invitees of each event'),
  zeros: toggle(words`with ${the('by')} event-type: also event types without events`),
  showEmails: toggle(words`with ${the('by')} invitee: show email addresses, which are personal data`),
};

export type StatsInput = Values<typeof entries>;

const isBy = (grouping: Grouping, { by = 'event-type' }: Given): boolean => String(by).split(',').includes(grouping);

/** What makes sense for one grouping only. */
const ofOneGrouping = rule(['zeros', 'showEmails', 'by'], (isGiven, { given }) => [
  ...(isGiven('zeros') && (given.by ?? 'event-type') !== 'event-type'
    ? [{ words: words`${the('zeros')} only works with ${the('by')} event-type` }]
    : []),
  ...(isGiven('showEmails') && !isBy('invitee', given)
    ? [{ words: words`${the('showEmails')} only works with ${the('by')} invitee` }]
    : []),
]);

const countsWhatItSorts = rule(['sort', 'noShows'], (isGiven, { given }) =>
  /^no-shows(:|$)/.test(String(given.sort)) && !isGiven('noShows') && !isBy('invitee', given)
    ? [{ words: words`${the('sort')} no-shows needs ${the('noShows')}`, adds: the('noShows') }]
    : [],
);

export const statsInput = (filters: FieldFlag[]) =>
  both(requestInput(events.list, filters), input(entries, countsWhatItSorts, ofOneGrouping));
