import { both, input, related, type Values } from '../input/input.ts';
import { count } from '../input/kinds.ts';
import { rule } from '../input/relations.ts';
import { type Name, the, type Words, words } from '../input/words.ts';
import { argumentsApart, type ItemFile, itemInput } from './bulk/input.ts';
import { choosingFlags, choosingInput, type EventFilters } from './events-list.ts';

const confirmEntry = {
  confirm: count('with a filter or --from: confirm this number of events', { value: 'COUNT', heading: 'Safety' }),
};

export type CancelInput = ItemFile & Values<typeof confirmEntry> & EventFilters;

const filterNames = choosingFlags.map(({ name }) => name);
const whose = ['user', 'org', 'group'];

/** `a, b, c` */
const inRow = (names: readonly Name[]): Words => names.flatMap((name, index) => (index === 0 ? [name] : [', ', name]));

/** Events are named, listed in a file or chosen by filters. */
const oneWay = rule(['event', 'from', 'confirm', ...filterNames], (isGiven) => {
  const given = filterNames.filter(isGiven);
  if (given.length === 0) {
    if (isGiven('from')) return [];
    return [
      ...(isGiven('event') ? [] : [{ missing: 'event' }]),
      ...(isGiven('confirm') ? [{ words: words`${the('confirm')} needs a filter or ${the('from')}` }] : []),
    ];
  }
  const filters = inRow(given.map(the));
  const problems: Words[] = [];
  if (isGiven('event'))
    problems.push(words`An event can't be used with ${filters}. Name events, or choose them with filters`);
  if (isGiven('from')) problems.push(words`${the('from')} can't be used with ${filters}`);
  if (given.every((name) => whose.includes(name)))
    problems.push(
      words`${filters} only says whose events. Also choose which: ${the('since')}, ${the('eventType')}, … or ${the('upcoming')} for all`,
    );
  return problems.map((each) => ({ words: each }));
});

export const cancelInput = related(
  both(itemInput('events', 'event'), both(choosingInput, input(confirmEntry))),
  oneWay,
  argumentsApart('event'),
);

/** The flags in the order of help. */
export const cancelFlags = [...itemInput('events', 'event').flags, ...choosingFlags, ...input(confirmEntry).flags];

/** Whether filters choose the events. */
export const isFiltered = (typed: Readonly<Record<string, unknown>>): boolean =>
  filterNames.some((name) => typed[name] !== undefined);
