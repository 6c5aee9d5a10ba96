import { events } from '../../api/events.ts';
import { reference } from '../../api/field.ts';
import { limits } from '../../api/limits.ts';
import { fold } from '../../base/nearest.ts';
import { self, the, words } from '../../base/words.ts';
import type { Bounds } from '../../cli/answer/answer.ts';
import type { Flag } from '../../cli/command.ts';
import { entry } from '../../cli/input/entry.ts';
import { both, type Input, input, related, type Values } from '../../cli/input/input.ts';
import { accept, type Kind, refuse } from '../../cli/input/kind.ts';
import { choice, count, toggle } from '../../cli/input/kinds.ts';
import { excludes, needs, rule } from '../../cli/input/relations.ts';
import { type FieldFlag, fieldFlags, rowFlag } from '../../cli/operation/field-flags.ts';
import { type RequestValues, requestInput } from '../../cli/operation/input.ts';
import { listInput } from '../../cli/operation/list-input.ts';
import { readerInput, type WindowInput, windowEntries, windowsApart } from './window-input.ts';

/** The service can't filter events by type, but each row shows it, so `sched` filters the rows. */
const typeFlag = rowFlag('event_type', reference('event_types', 'only events of this type, by name, ID or URI'));

/** The filters of `events list` that a command takes too. */
export const filterFlags = ({ fieldFlags: all }: { fieldFlags: readonly FieldFlag[] }, names: readonly string[]) => [
  ...all.filter(({ name }) => names.includes(name)),
  typeFlag,
];

/** Text to search for, without case and accents. */
const searchKind: Kind<string> = {
  value: 'TEXT',
  json: 'string',
  isProse: true,
  read: (raw) => {
    const text = fold(raw);
    return text === '' ? refuse(words`${self} needs some text to search for`) : accept(text);
  },
};

const filterEntries = {
  search: entry(
    searchKind,
    'text in name, location, hosts or notes, and in invitees if they are read; ignores case and accents',
    { heading: 'Filters' },
  ),
};

const conflictEntries = {
  conflicts: toggle('only events that overlap another one of a host, or are outside the hours', { heading: 'Filters' }),
  buffers: count(words`with ${the('conflicts')}: minutes that a host needs between two events`, {
    least: 1,
    most: limits.durationMinutes.max,
    value: 'MINUTES',
    heading: 'Filters',
  }),
};

/** Conflicts are looked for among active events. */
const conflictsInput = related(
  input(conflictEntries, needs(['buffers'], ['conflicts'])),
  excludes('conflicts', ['status', 'rows']),
);

/** Which events a command is about: the request, and what only sched can filter by. */
export type EventFilters = Partial<WindowInput & Values<typeof filterEntries>> & { request: RequestValues };

const ownFilters = { ...windowEntries, ...filterEntries };

/** The filters of commands that change active events which have not begun. */
const { past: _, anyTime: __, ...aheadFilters } = ownFilters;
const choosingFields = [typeFlag, ...fieldFlags(events.list).filter(({ name }) => !['status', 'sort'].includes(name))];
export const choosingInput: Input<EventFilters> = related(
  both(both(input(aheadFilters), readerInput), requestInput(events.list, choosingFields)),
  windowsApart,
);

/** In the order of help: windows, type, search, and the fields of the request. */
const inListHelp = (own: readonly Flag[], rest: readonly Flag[]): Flag[] => [
  ...own.filter(({ name }) => name !== 'search'),
  typeFlag,
  ...own.filter(({ name }) => name === 'search'),
  ...rest.filter(({ name }) => name !== typeFlag.name),
];

export const choosingFlags: Flag[] = inListHelp(input(aheadFilters).flags, choosingFields);

const withEntry = {
  with: choice(['invitees'], 'include with each event', { value: 'WHAT', heading: 'Output' }),
};

const rowFormats = ['csv', 'tsv', 'table'];

/** One row per invitee has no place in a format for records. */
const rowsInFormat = rule(['rows'], (isGiven, { settings: { format } }) =>
  isGiven('rows') && !rowFormats.includes(format)
    ? [
        {
          words: words`${the('rows')} only works with -o csv, tsv or table, not with ${format}. Use ${the('with')} invitees`,
        },
      ]
    : [],
);

/** How a list shows the invitees of its events. */
const inviteesInput = input(
  {
    ...withEntry,
    rows: choice(['invitees'], 'one row per invitee instead of one per event (csv, tsv, table)', {
      value: 'WHAT',
      heading: 'Output',
    }),
  },
  rowsInFormat,
);

export const eventsListInput = (fields: readonly FieldFlag[]) =>
  both(
    both(both(listInput, inviteesInput), conflictsInput),
    related(both(both(input(ownFilters), readerInput), requestInput(events.list, [typeFlag, ...fields])), windowsApart),
  );

export type EventsListInput = EventFilters &
  Bounds &
  Partial<Values<typeof conflictEntries>> & { with: 'invitees' | undefined; rows: 'invitees' | undefined };

/** The flags of a list of events in the order of help. */
export const eventsListFlags = (rest: readonly Flag[]): Flag[] => [
  ...inListHelp(input(ownFilters).flags, rest),
  ...conflictsInput.flags,
  ...inviteesInput.flags,
];

/** What a command that reads one event takes besides. */
export const getInput = input(withEntry);
