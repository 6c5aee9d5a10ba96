import type { Pages } from '../../output/formats.ts';
import { openListing } from '../operation/listing.ts';
import type { Shell } from '../session/context.ts';
import type { Frontend } from '../session/frontend.ts';
import type { Answer } from './answer.ts';
import { sayBeside, sayEach, wholeRecord } from './say.ts';
import { recordsOf } from './show-stream.ts';

/**
 * Gives an answer to a program that runs commands. It takes records and rows: nothing is printed or drawn for it. Returns
 * the number of rows.
 */
export const take = async (context: Shell, frontend: Frontend, answer: Answer): Promise<number> => {
  const takePages = (pages: Pages) => frontend.take({ pages });
  if (answer.forTool !== undefined) return frontend.take({ record: answer.forTool() });
  switch (answer.kind) {
    case 'record':
      if (answer.done !== undefined) await sayBeside(context, answer.record, answer.done);
      return frontend.take({ record: wholeRecord(context, answer) });
    case 'page':
      return frontend.take({ record: answer.record });
    case 'file':
      return frontend.take({ record: answer.value });
    case 'rows': {
      const rows = await takePages(answer.pages);
      if (rows === 0 && answer.empty !== undefined) context.notes.info(answer.empty);
      return rows;
    }
    case 'listing':
      return frontend.take(await openListing(context, answer.listing, frontend.from));
    case 'many': {
      const { pages, end } = sayEach(context, answer);
      const rows = await takePages(pages);
      await end();
      return rows;
    }
    case 'picture':
      return answer.others === undefined ? 0 : take(context, frontend, answer.others);
    case 'stream':
      return takePages(recordsOf(answer));
    default:
      // Text, files of other programs and programs themselves are for people. There are no tools for them.
      return 0;
  }
};
