import { events } from '../../api/events.ts';
import { the, words } from '../../base/words.ts';
import { both, input, type Values } from '../../cli/input/input.ts';
import { duration, moment, moving, toggle } from '../../cli/input/kinds.ts';
import { apart, rule } from '../../cli/input/relations.ts';
import type { FieldFlag } from '../../cli/operation/field-flags.ts';
import { requestInput } from '../../cli/operation/input.ts';

const entries = {
  since: moment('start again with what was booked or canceled since this time (default: where it stopped, else now)', {
    edge: 'since',
    in: 'past',
    heading: 'Filters',
  }),
  until: moving('only events that start before this time (default +60d, which moves along)', {
    edge: 'until',
    in: 'future',
    preset: '+60d',
    heading: 'Filters',
  }),
  every: duration('pause between two checks, at least 10s (default 10s)', {
    such: '30s or 5m',
    least: '10s',
    why: ', to leave the rate limit to other commands',
    preset: '10s',
  }),
  once: toggle('check once and exit, for a cron job'),
};

export type FollowInput = Values<typeof entries>;

/** A list that never ends can't be an array, and a line for people has no fields. */
const fitsFormat = rule(['once'], (isGiven, { settings: { format, fields }, given }) => {
  const problems = [];
  if (format === 'json' && !isGiven('once'))
    problems.push(
      given.jq === undefined
        ? words`-o json prints one array, which never ends here. Use -o jsonl, or add ${the('once')}`
        : words`${the('jq')} needs -o jsonl here, or ${the('once')}`,
    );
  if (format === 'table' && fields !== undefined)
    problems.push(
      words`${the('fields')} only works with -o jsonl, csv, tsv and yaml here, because a line for people has no fields`,
    );
  return problems.map((each) => ({ words: each }));
});

export const followInput = (filters: FieldFlag[]) =>
  both(input(entries, apart(['once', 'every']), fitsFormat), requestInput(events.list, filters));
