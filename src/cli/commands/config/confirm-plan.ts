import type { Plan } from '../../../config/model.ts';
import { SchedError } from '../../../errors.ts';
import { asciiForm, needsAscii } from '../../../output/ascii.ts';
import { createPaint } from '../../../output/paint.ts';
import { commandHere } from '../../messages/suggested-line.ts';
import { confirm } from '../../session/confirm.ts';
import type { Context } from '../../session/context.ts';
import { entriesNow, planText, shortDigest } from './diff.ts';
import { countText } from './draw-plan.ts';
import type { ApplyInput } from './input.ts';
import type { ReadPlan } from './read-plan.ts';

/** A new event type can't be deleted again, and a deletion can't be undone. */
const needs = ({ changes }: Plan) =>
  (['create', 'delete'] as const).filter((word) =>
    changes.some(({ action }) => (action === 'replace' ? 'delete' : action) === word),
  );

const checkAllowed = (context: Context, { allow, file }: ApplyInput, plan: Plan): void => {
  const lacking = needs(plan).filter((word) => !allow.includes(word));
  if (lacking.length === 0) return;
  throw new SchedError('confirmation-required', `--yes alone doesn't ${lacking.join(' or ')} anything`, {
    reason: `${plan.file} would ${lacking.join(' and ')} records. To see them: ${commandHere(context, 'config', 'diff', file.path)}`,
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
export const confirmPlan = async (
  context: Context,
  input: ApplyInput,
  read: ReadPlan,
  isConfirmed: boolean,
): Promise<void> => {
  const { settings, runtime, notes, frontend } = context;
  if (frontend !== undefined) checkTool(read.plan);
  else if (isConfirmed) return;
  else if (settings.yes) return checkAllowed(context, input, read.plan);
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
