import { invitees } from '../../api/invitees.ts';
import { listed, the, words } from '../../base/words.ts';
import { both, input, related, unless, type Values } from '../../cli/input/input.ts';
import { text, toggle } from '../../cli/input/kinds.ts';
import { apart, excludes, needs, rule } from '../../cli/input/relations.ts';
import type { FieldFlag } from '../../cli/operation/field-flags.ts';
import { requestDraft } from '../../cli/operation/input.ts';
import { recordFile } from '../bulk/input.ts';
import { bookingEntries } from './booking-context.ts';

const { from, ...fileOptions } = recordFile('bookings', 'book');

const entries = {
  firstFree: toggle(words`book the first free time instead of ${the('start')}`),
  answer: text("answer to a question of the event type, as 'Question=Answer'", { value: 'Q=A', many: true }),
  ...bookingEntries,
  from,
  ...fileOptions,
};

export type BookingInput = Values<typeof entries>;

/** At a terminal, the window is also for the times to choose from. */
const windowNeedsFirstFree = rule(['since', 'until', 'firstFree'], (isGiven, { isAsked }) => {
  const window = (['since', 'until'] as const).filter(isGiven).map(the);
  return window.length === 0 || isAsked || isGiven('firstFree')
    ? []
    : [{ words: words`${listed(window, 'and')} can only be used with ${the('firstFree')}` }];
});

/** A booking, or a file of them: its lines have the fields of the request. */
export const bookingInput = (fields: FieldFlag[]) =>
  related(
    both(unless(['from'], requestDraft(invitees.create, fields)), input(entries)),
    needs(Object.keys(fileOptions), ['from']),
    excludes('from', ['body']),
    excludes('from', ['allowDuplicate'], ': book that line on its own'),
    apart(['start', 'firstFree']),
    windowNeedsFirstFree,
  );
