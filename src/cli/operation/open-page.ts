import type { Operation } from '../../api/operation.ts';
import { SchedError } from '../../base/errors.ts';
import { the, words } from '../../base/words.ts';
import { valueAt } from '../../output/fields.ts';
import type { Page } from '../answer/answer.ts';
import { mapReply } from '../answer/plan.ts';
import type { Command, Invocation } from '../command.ts';
import type { Entry } from '../input/entry.ts';
import { both, input, readSome, related } from '../input/input.ts';
import { toggle } from '../input/kinds.ts';
import { rule } from '../input/relations.ts';
import { localCommand } from '../messages/suggested-line.ts';
import type { Shell } from '../session/context.ts';

export const webEntry = (description = 'open its page in the browser') => toggle(description, { heading: 'Output' });

const urlOf = (record: object, { field, name, outcome: pageOutcome }: Page, { runtime }: Shell): string => {
  const outcome = pageOutcome ?? 'not-sent';
  const url = valueAt(record, field);
  if (typeof url !== 'string' || url === '')
    throw new SchedError('not-found', `This record has no ${name}`, { reason: `its ${field} is empty`, outcome });
  const isWeb = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
  // R6, R11: the page may be on any origin, so its URL must not carry the token there.
  if (!isWeb || runtime.secrets.redact(url) !== url)
    throw new SchedError('integrity', `The service sent a ${name} that sched doesn't open`, {
      reason: isWeb ? `its ${field} contains the token` : `its ${field} is not an http or https URL`,
      outcome,
    });
  return url;
};

/** Opens a page of a record in the browser, and prints its URL on stderr. */
export const openPage = async (context: Shell, record: object, page: Page): Promise<void> => {
  const { runtime, notes } = context;
  const url = urlOf(record, page, context);
  // No server can have a name that ends with .example (RFC 6761). The sandbox has no other places to meet.
  if (/\.example$/.test(new URL(url).hostname))
    return notes.always(`Nobody can open this ${page.name}: the sandbox has made up its address, ${url}`);
  if ((await context.connection()).isUnserved)
    return notes.always(
      `The pages of the sandbox need a running server. Run ${localCommand('sandbox', 'start')}, then open ${url}`,
    );
  notes.info(`Opening ${url} in your browser`);
  await notes.flush();
  if (!(await runtime.openBrowser(url))) notes.warn(`Can't open a browser. Open the page yourself: ${url}`);
};

const printing = ['output', 'json', 'jq', 'fields'] as const;

/** The page is shown in place of the record. */
const printsNothing = rule(['web', ...printing], (isGiven) =>
  printing
    .filter((key) => isGiven('web') && isGiven(key))
    .map((key) => ({ words: words`${the('web')} prints no record, so it can't be used with ${the(key)}` })),
);

/** Adds `--web` to a command that reads a record. It opens a page of the record instead of printing the record. */
export const withPage = <Own extends Command, Choice extends string | boolean | undefined = boolean>(
  generic: Own,
  pageFor: (choice: Choice) => Page,
  web = webEntry() as Entry<Choice>,
): Own => {
  const page = related(input({ web }), printsNothing);
  const run = async (invocation: Invocation) => {
    const choice = (await readSome(page, invocation)).web as Choice;
    const reply = await generic.run(invocation);
    if (!choice || !reply) return reply;
    return mapReply(reply, (answer) =>
      answer.kind === 'record' ? { kind: 'page', record: answer.record, page: pageFor(choice) } : answer,
    );
  };
  const { draft } = generic.run;
  return {
    ...generic,
    flags: [...generic.flags, ...page.flags],
    run: draft === undefined ? run : Object.assign(run, { draft: both(page, { ...generic, draft }).draft }),
  };
};

/** Adds `--web` if the command reads a record with a scheduling page. */
export const withSchedulingPage = <Own extends Command & { operation: Operation }>(generic: Own): Own => {
  const { method, reply } = generic.operation;
  const field = 'scheduling_url';
  const hasPage = method === 'GET' && reply.kind === 'one' && Object.hasOwn(reply.of.record.shape, field);
  return hasPage ? withPage(generic, () => ({ field, name: 'scheduling page' })) : generic;
};
