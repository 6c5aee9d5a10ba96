import { day } from '../../base/milliseconds.ts';
import { the, words } from '../../base/words.ts';
import { input, type Values } from '../../cli/input/input.ts';
import { count, duration, file, moment, text, toggle, word } from '../../cli/input/kinds.ts';
import { rule } from '../../cli/input/relations.ts';

/** 13 months: this month of last year is whole. */
export const defaultSpan = 396 * day;

export const entries = {
  since: moment('start of the first event to keep (default 13 months ago)', { edge: 'since', in: 'past' }),
  until: moment('start of the last event to keep (default in 13 months)', { edge: 'until', in: 'future' }),
  for: duration('stop after this time; the next sync continues', { such: '30m or 2h' }),
  fullSpeed: toggle('use the whole rate limit, not half of it'),
  again: toggle('read the invitees of all events again'),
};

export type SyncInput = Values<typeof entries>;

export const syncInput = input(entries);

const statusEntries = { all: toggle('all mirrors of this user, of every account') };

export type StatusInput = Values<typeof statusEntries>;

export const statusInput = input(statusEntries);

const deleteEntries = {
  name: word('name of the mirror, from mirror status --all', { place: 'argument', value: 'NAME' }),
};

export type DeleteInput = Values<typeof deleteEntries>;

export const deleteInput = input(deleteEntries);

const sqlEntries = {
  query: text('one SELECT over events, invitees, bookings, people, event_types and submissions', {
    place: 'argument',
    needed: true,
    value: 'QUERY',
  }),
  limit: count('return at most this many rows (default 100,000)', { least: 1, most: 1_000_000 }),
};

export type SqlInput = Values<typeof sqlEntries>;

export const sqlInput = input(sqlEntries);

const exportEntries = {
  pseudonymous: toggle('replace everything that people typed: the only way to export a mirror'),
  data: file('write a sandbox file with this name, for sandbox start --data (default: print a world file)'),
};

export type ExportInput = Values<typeof exportEntries>;

export const exportInput = input(
  exportEntries,
  rule(['pseudonymous'], (isGiven) =>
    isGiven('pseudonymous')
      ? []
      : [
          {
            words: words`a mirror has real people: add ${the('pseudonymous')}, which replaces them with invented ones`,
          },
        ],
  ),
);
