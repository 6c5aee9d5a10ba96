import type { Plan } from '../../../config/model.ts';
import { SchedError } from '../../../errors.ts';
import { asciiForm, needsAscii } from '../../../output/ascii.ts';
import { fieldList } from '../../../output/fields.ts';
import { createPaint } from '../../../output/paint.ts';
import type { Invocation } from '../../command.ts';
import { commandHere } from '../../messages/suggested-line.ts';
import { confirm } from '../../session/confirm.ts';
import { entriesNow, planText, shortDigest } from './diff.ts';
import { countText } from './draw-plan.ts';
import type { ReadPlan } from './read-plan.ts';

export const allowable = ['create', 'delete'];

/** The digest that `--confirm` names, if any. */
export const readConfirmed = ({ context, typed, problems }: Invocation): string | undefined => {
  for (const word of fieldList(String(typed.allow ?? '')).filter((each) => !allowable.includes(each)))
    problems.value('allow', String(typed.allow), `--allow must be create, delete or both, not "${word}"`);
  // A client must have seen the plan.
  if (context.frontend !== undefined && typed.confirm === undefined) problems.missingFlag('confirm');
  const digest = (typed.confirm as string | undefined)?.toLowerCase();
  if (digest !== undefined && !/^[0-9a-f]{12,64}$/.test(digest))
    problems.add('--confirm must be the digest that config diff prints: 12 or more hex digits');
  return digest;
};

/** A new event type can't be deleted again, and a deletion can't be undone. */
const needs = ({ changes }: Plan): string[] =>
  allowable.filter((word) => changes.some(({ action }) => (action === 'replace' ? 'delete' : action) === word));

const checkAllowed = ({ typed, args, context }: Invocation, plan: Plan): void => {
  const lacking = needs(plan).filter((word) => !fieldList(String(typed.allow ?? '')).includes(word));
  if (lacking.length === 0) return;
  throw new SchedError('confirmation-required', `--yes alone doesn't ${lacking.join(' or ')} anything`, {
    reason: `${plan.file} would ${lacking.join(' and ')} records. To see them: ${commandHere(context, 'config', 'diff', args[0]!)}`,
    hint: { flags: { allow: needs(plan).join(',') } },
  });
};

/** Text that a model obeys could send all bookings to any address. */
const checkTool = ({ changes }: Plan): void => {
  if (!changes.some(({ kind, action }) => kind === 'webhook' && action !== 'delete')) return;
  throw new SchedError('usage', "A tool can't create webhooks", {
    advice: ['a person can run ', { command: ['config', 'apply', 'FILE'] }],
  });
};

/** Returns if the user confirms the plan: by its digest, by --yes, or at a prompt that shows it. */
export const confirmPlan = async (invocation: Invocation, read: ReadPlan, isConfirmed: boolean): Promise<void> => {
  const { settings, runtime, notes, frontend } = invocation.context;
  const { context } = invocation;
  if (frontend !== undefined) checkTool(read.plan);
  else if (isConfirmed) return;
  else if (settings.yes) return checkAllowed(invocation, read.plan);
  const paint = createPaint(settings.canAsk ? notes.color : undefined);
  const place = () => (notes.takeSandbox() ? paint.faint(' · sandbox') : '');
  const text = (await planText(context, read))({ paint, available: runtime.stderr.columns || 80, place });
  const lines = text.trimEnd().split('\n');
  await notes.flush();
  if (settings.canAsk) await runtime.stderr.write(needsAscii(runtime.env) ? asciiForm(text) : text);
  else if (frontend === undefined) for (const line of lines) notes.always(line);
  const changes = countText(entriesNow(context, read));
  await confirm(context, {
    question: `Apply ${changes}?`,
    isFinal: read.plan.changes.some(
      ({ kind, action }) => action !== 'update' && !(kind === 'webhook' && action === 'create'),
    ),
    action: `apply ${read.plan.file} (${changes})`,
    flags: { confirm: shortDigest(read) },
    list: frontend === undefined ? [] : lines.slice(1),
  });
};
