import { events } from '../../api/events.ts';
import { locationKinds } from '../../api/locations.ts';
import { self, the, words } from '../../base/words.ts';
import { entry } from '../../cli/input/entry.ts';
import { both, type Input, input, related, unless, type Values } from '../../cli/input/input.ts';
import { accept, type Kind, refuse } from '../../cli/input/kind.ts';
import { choice, momentFacts, text, toggle, zone } from '../../cli/input/kinds.ts';
import { apart, needs, rule } from '../../cli/input/relations.ts';
import { draftInput } from '../../cli/operation/input.ts';
import { recordFile } from '../bulk/input.ts';
import { choosingFlags, choosingInput } from '../events/input.ts';

/** Stays text until the people who move are known: it must mean the same in all their time zones. */
const startKind: Kind<string> = { ...momentFacts, read: (raw) => accept(raw) };

const offsetKind: Kind<string> = {
  value: 'OFFSET',
  json: 'string',
  read: (raw) =>
    /^[+-](\d+[wdhm])+$/.test(raw)
      ? accept(raw)
      : refuse(words`${self} must be an offset such as +1h, -30m or +1d, not "${raw}"`),
};

/** How events are moved, one or many. */
const moveEntries = {
  to: entry(startKind, 'new start time'),
  cancelFirst: toggle('cancel before booking: needed if the new time overlaps the old one'),
  answer: text("answer of people who have none, as 'Question=Answer'", { value: 'Q=A', many: true }),
  timezone: zone('time zone of people who have none'),
  locationKind: choice(locationKinds, 'another kind of location'),
  withoutPayment: toggle('also move a paid booking: the new one has no payment'),
  allowDuplicate: toggle(
    'book people who are not shown at the new time, even if an earlier attempt may have booked them',
    { heading: 'Safety' },
  ),
  reason: text('reason to send to the invitees'),
};

const shiftEntry = {
  shift: entry(offsetKind, 'move all events that the filters choose, by +1h, -30m, +1d or +1w', { heading: 'Filters' }),
};

const { from, ...fileOptions } = recordFile('moves', 'move', words`with ${the('from')} or ${the('shift')}`);

/** The event that the argument names, by its ID. */
const eventInput: Input<{ event: string }> = {
  flags: [],
  arguments: [],
  draft: async (invocation, how) => {
    const { finish } = await draftInput(invocation, events.get, [], how);
    return async () => ({ event: (await finish()).path!.event! });
  },
};

const single = input(moveEntries);

/** A move of one event. */
export const singleInput = both(single, eventInput);

const manyInput = input({ ...shiftEntry, from, ...fileOptions });

/** What the new bookings and the cancellation are to be. */
export type MoveChoices = Partial<Omit<Values<typeof moveEntries>, 'to'>>;

const isOneOrMany = rule(['event', 'to', 'from', 'shift'], (isGiven) => {
  const many = (['from', 'shift'] as const).filter(isGiven);
  if (many.length === 0) return isGiven('to') ? [] : [{ missing: 'to' }];
  const way = isGiven('to') ? 'to' : many[0]!;
  return isGiven('event') ? [{ words: words`An event can't be used with ${the(way)}` }] : [];
});

const shiftHasWindow = rule(['shift', 'today', 'tomorrow', 'week', 'since', 'until'], (isGiven) => {
  const isChosen = (['today', 'tomorrow', 'week'] as const).some(isGiven) || (isGiven('since') && isGiven('until'));
  if (!isGiven('shift') || isChosen) return [];
  return [
    {
      words: words`${the('shift')} needs a time window: ${the('today')}, ${the('tomorrow')}, ${the('week')}, or ${the('since')} and ${the('until')}`,
    },
  ];
});

/** One event, or those of a file, or those that filters choose. */
export const moveInput = related(
  both(both(single, manyInput), both(unless(['from', 'shift'], eventInput), unless(['from'], choosingInput))),
  apart(['to', 'from', 'shift']),
  isOneOrMany,
  needs(Object.keys(fileOptions), ['from', 'shift']),
  needs(
    choosingFlags.map(({ name }) => name),
    ['shift'],
  ),
  shiftHasWindow,
);

export type MoveInput = Values<typeof moveEntries> & { event: string };
export type ManyInput = Values<typeof moveEntries> & Values<typeof shiftEntry & ReturnType<typeof recordFile>>;

/** The flags in the order of help. */
export const moveFlags = [...single.flags, manyInput.flags[0]!, ...choosingFlags, ...manyInput.flags.slice(1)];
