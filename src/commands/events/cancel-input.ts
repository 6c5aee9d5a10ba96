import { type Name, the, type Words, words } from '../../base/words.ts';
import { both, input, related, type Values } from '../../cli/input/input.ts';
import { count, word } from '../../cli/input/kinds.ts';
import { rule } from '../../cli/input/relations.ts';
import { argumentsApart, type ItemFile, itemInput } from '../bulk/input.ts';
import { choosingFlags, choosingInput, type EventFilters } from './input.ts';

const confirmEntry = {
  confirm: count(words`with a filter or ${the('from')}: confirm this number of events`, {
    value: 'COUNT',
    heading: 'Safety',
  }),
};

const eventEntry = { event: word('', { value: 'EVENT', place: 'argument', many: true }) };

export type CancelInput = ItemFile & Values<typeof confirmEntry & typeof eventEntry> & EventFilters;

const filterNames = choosingFlags.map(({ name }) => name);
const whose = ['user', 'org', 'group'];

/** `a, b, c` */
const inRow = (names: readonly Name[]): Words => names.flatMap((name, index) => (index === 0 ? [name] : [', ', name]));

const event: Name = { name: 'event', place: 'argument' };

/** Events are named, listed in a file or chosen by filters. */
const oneWayToCancel = rule(['event', 'from', 'confirm', ...filterNames], (isGiven) => {
  const given = filterNames.filter(isGiven);
  if (given.length === 0) {
    if (isGiven('from')) return [];
    return [
      ...(isGiven('event') ? [] : [{ words: words`Missing argument ${event}`, adds: event }]),
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
  both(itemInput('events', 'event'), both(choosingInput, input({ ...eventEntry, ...confirmEntry }))),
  oneWayToCancel,
  argumentsApart('event'),
);

/** The flags in the order of help. */
export const cancelFlags = [...itemInput('events', 'event').flags, ...choosingFlags, ...input(confirmEntry).flags];

/** Whether filters choose the events. */
export const isFiltered = (given: Readonly<Record<string, unknown>>): boolean =>
  filterNames.some((name) => given[name] !== undefined);
