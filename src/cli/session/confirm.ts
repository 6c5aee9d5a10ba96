import { SchedError } from '../../errors.ts';
import { cutLong } from '../../output/cells.ts';
import { idIn } from '../../uri.ts';
import { shownUrl } from './connection.ts';
import type { Context } from './context.ts';
import { askYes, type Facts, laidOut } from './prompt.ts';

export interface Confirmation {
  /** The prompt: `Cancel "Intro call" and notify its invitees?` */
  question: string;
  /** The write in the error if there is no terminal: `cancel "Intro call" (Mon 16 Nov 09:00)`. */
  action: string;
  /** The things that change, one per line. */
  list?: readonly string[];
  /** Facts about them. */
  facts?: Facts;
}

/** Lines of a list that a prompt shows. The rest is counted, so that the question stays on the screen. */
const mostLines = 20;

/** Names come from the network and may have any length. */
const cut = (text: string): string => cutLong(text, 500);

const shortened = (list: readonly string[]): readonly string[] =>
  list.length <= mostLines ? list : [...list.slice(0, mostLines), `and ${list.length - mostLines} more`];

/** The name of the default organization with its ID. Undefined if neither is known: the prompt must work without it. */
const organizationOf = async (context: Context): Promise<string | undefined> => {
  try {
    const id = idIn(await context.identity.organization());
    const { orgs } = await import('../../api/organizations.ts');
    const { name } = await (await context.client()).call(orgs.get, { path: { organization: id } }).catch((error) => {
      if (!(error instanceof SchedError) || error.category === 'interrupted') throw error;
      return { name: undefined };
    });
    return typeof name === 'string' && name !== '' ? `${name} (${id})` : id;
  } catch (error) {
    if (!(error instanceof SchedError) || error.category === 'interrupted') throw error;
    return undefined;
  }
};

/** The service and the profile that a write affects, below its organization. */
export const serviceFacts = async (context: Context, organization: string | undefined): Promise<Facts> => {
  const connection = await context.connection();
  const { account, sandbox } = context.settings;
  return [
    ...(organization === undefined ? [] : [['organization', organization] as const]),
    ['origin', shownUrl(new URL(connection.baseUrl).origin, connection)],
    ['profile', account?.name ?? (sandbox ? 'none (sandbox)' : 'none (token from the environment)')],
  ];
};

/** Nobody can be asked about a write. */
const unconfirmed = (action: string, isTool: boolean): SchedError => {
  const needed = `Confirmation needed to ${action}`;
  if (!isTool)
    return new SchedError('confirmation-required', `${needed}, but there is no terminal to ask on`, {
      hint: { flags: { yes: true } },
    });
  return new SchedError('confirmation-required', `${needed}, but this client can't ask`, {
    reason: 'it does not support elicitation, or prompts are turned off',
    advice: 'to allow writes without a question, start sched mcp serve with --yes',
  });
};

/**
 * Prompts before a write. Returns without a prompt if `--yes` is set; throws if there is no terminal or the answer is
 * no. With `this machine`, the prompt names no service.
 */
export const confirm = async (
  context: Context,
  { question, action, list = [], facts = [] }: Confirmation,
  about: 'service' | 'this machine' = 'service',
): Promise<void> => {
  const { settings, runtime, frontend } = context;
  if (settings.yes) return;
  if (!context.canConfirm) throw unconfirmed(cut(action), frontend !== undefined);
  const place = about === 'service' ? await serviceFacts(context, await organizationOf(context)) : [];
  const asked = {
    question: cut(question),
    list: shortened(list).map(cut),
    facts: [...facts, ...place].map(([label, value]) => [label, cut(value)] as const),
    yes: 'continue',
    no: about === 'service' ? 'stop and send nothing' : 'stop and change nothing',
  };
  const lines = await laidOut(asked, runtime.stderr.columns);
  const isConfirmed =
    frontend?.confirm === undefined
      ? await askYes(context, asked, [...lines, 'Continue? [y/N] '].join('\n'))
      : await frontend.confirm(lines.join('\n'));
  if (!isConfirmed) {
    const nothing = about === 'service' ? 'sent' : 'changed';
    throw new SchedError('confirmation-required', `Not confirmed. Nothing was ${nothing}`);
  }
};
