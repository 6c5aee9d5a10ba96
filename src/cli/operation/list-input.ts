import { limits } from '../../api/limits.ts';
import type { Bounds } from '../answer/answer.ts';
import { type Input, input } from '../input/input.ts';
import { count, toggle } from '../input/kinds.ts';
import { apart } from '../input/relations.ts';

export const listEntries = {
  limit: count('maximum number of results', { least: 1, heading: 'Listing' }),
  all: toggle('show all results (default 50 on a terminal)', { heading: 'Listing' }),
  pageSize: count(`results per request, ${limits.pageSize.min} to ${limits.pageSize.max} (default 100)`, {
    least: limits.pageSize.min,
    most: limits.pageSize.max,
    heading: 'More flags',
  }),
};

/** What every list command takes. */
export const listInput = input(listEntries, apart(['limit', 'all']));

/** The same as one value. */
export const boundsInput: Input<{ bounds: Bounds }> = {
  ...listInput,
  draft: async (call, how) => {
    const finish = await listInput.draft(call, how);
    return async (context) => ({ bounds: await finish(context) });
  },
};
