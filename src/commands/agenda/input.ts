import { events } from '../../api/events.ts';
import { the, words } from '../../base/words.ts';
import { both, input, type Values } from '../../cli/input/input.ts';
import { moving, toggle } from '../../cli/input/kinds.ts';
import { apart, rule } from '../../cli/input/relations.ts';
import { commandHere } from '../../cli/messages/suggested-line.ts';
import type { FieldFlag } from '../../cli/operation/field-flags.ts';
import { requestInput } from '../../cli/operation/input.ts';

const periods = {
  day: toggle('one day', { heading: 'Filters' }),
  week: toggle('the calendar week, from Monday to Sunday (the default)', { heading: 'Filters' }),
  month: toggle('a calendar month, with the number of events on each day', { heading: 'Filters' }),
  since: moving('show the day, week or month that contains this time (default today)', {
    edge: 'since',
    isLive: true,
    heading: 'Filters',
  }),
};

const watching = { watch: toggle('draw it again every minute, until Ctrl-C') };

export type AgendaInput = Values<typeof periods & typeof watching>;

/** Only a person at a terminal can watch. */
const onScreen = rule(['watch'], (isGiven, { screen, settings }) => {
  if (!isGiven('watch') || screen === 'pictures') return [];
  const what = screen === 'words' ? the('accessible') : 'a pipe or another format';
  const instead = commandHere({ settings }, 'events', 'follow');
  return [
    {
      words: words`${the('watch')} draws on a terminal again and again, which ${what} can't show. For what changes: ${instead}`,
      drops: the('watch'),
    },
  ];
});

export const agendaInput = (filters: FieldFlag[]) =>
  both(
    both(input(periods, apart(['day', 'week', 'month'])), requestInput(events.list, filters)),
    input(watching, onScreen),
  );
