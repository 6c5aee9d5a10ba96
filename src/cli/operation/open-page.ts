import type { Operation } from '../../api/operation.ts';
import { SchedError } from '../../errors.ts';
import { valueAt } from '../../output/fields.ts';
import type { Command, Flag, Invocation } from '../command.ts';
import { localCommand } from '../messages/suggested-line.ts';
import type { Context } from '../session/context.ts';

/** A page of a record: the field that holds its URL, and its name. */
export interface Page {
  field: string;
  name: string;
  /** Set if the record was just created. */
  outcome?: 'applied';
}

export const webFlag: Flag = { name: 'web', description: 'open its page in the browser', heading: 'Output' };

const urlOf = (record: object, { field, name, outcome: made }: Page, { runtime }: Context): string => {
  const outcome = made ?? 'not-sent';
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
export const openPage = async (context: Context, record: object, page: Page): Promise<void> => {
  const { runtime, notes } = context;
  const url = urlOf(record, page, context);
  if ((await context.connection()).isUnserved)
    return notes.always(
      `The pages of the sandbox need a running server. Run ${localCommand('sandbox', 'start')}, then open ${url}`,
    );
  notes.info(`Opening ${url} in your browser`);
  await notes.flush();
  if (!(await runtime.openBrowser(url))) notes.warn(`Can't open a browser. Open the page yourself: ${url}`);
};

const printingFlags = ['output', 'json', 'jq', 'fields'];

/** Adds `--web` to a command that reads a record. It opens a page of the record instead of printing the record. */
export const withPage = <Own extends Command>(
  generic: Own,
  pageFor: (value: string | true) => Page | undefined,
  flag: Flag = webFlag,
): Own => ({
  ...generic,
  flags: [...generic.flags, flag],
  run: (invocation: Invocation) => {
    const { typed, problems, context } = invocation;
    if (typed.web === undefined) return generic.run(invocation);
    const page = pageFor(typed.web as string | true);
    if (page === undefined) problems.choice('web', typed.web, flag.choices!);
    for (const name of printingFlags)
      if (typed[name] !== undefined) problems.add(`--web prints no record, so it can't be used with --${name}`);
    const one = (_: unknown, record: object) => openPage(context, record, page!);
    const printer = Object.create(context.printer, { one: { value: one } });
    return generic.run({ ...invocation, context: { ...context, printer } });
  },
});

/** Adds `--web` if the command reads a record with a scheduling page. */
export const withSchedulingPage = <Own extends Command & { operation: Operation }>(generic: Own): Own => {
  const { method, reply } = generic.operation;
  const field = 'scheduling_url';
  const hasPage = method === 'GET' && reply.kind === 'one' && Object.hasOwn(reply.of.record.shape, field);
  return hasPage ? withPage(generic, () => ({ field, name: 'scheduling page' })) : generic;
};
