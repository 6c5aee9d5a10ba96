import { spell } from '../../base/words.ts';
import { readsAnswers } from '../operation/print-record.ts';
import { askAbout, confirmProtected, refuseTool, unconfirmed } from '../session/confirm.ts';
import type { Shell } from '../session/context.ts';
import type { Plan, Reader, Reply } from './plan.ts';
import { sayAll } from './say.ts';
import { show } from './show.ts';

/** Whether the command line has agreed to a plan. A tool can't agree for a person. */
const isAgreedTo = ({ settings, frontend }: Shell, { isAgreed, final }: Plan): boolean =>
  (isAgreed === true && frontend === undefined) || (settings.yes && final?.beyondYes === undefined);

/** Who reads what a plan reads. */
const readerOf = (context: Shell, plan: Plan): Reader => {
  if (plan.question === undefined || isAgreedTo(context, plan)) return readsAnswers(context) ? 'told' : 'nobody';
  return context.canConfirm ? 'asked' : 'unasked';
};

/** Asks about the risk of a plan, if it has one. */
const askAboutDanger = async (context: Shell, plan: Plan): Promise<void> => {
  const danger = await plan.danger?.();
  if (danger === undefined) return;
  const { question, unasked, about } = danger;
  if (!context.canConfirm || (about === undefined && context.settings.yes)) throw unasked;
  await askAbout(context, question, about);
};

/** What comes before anything is read. */
const prepare = async (context: Shell, plan: Plan, reader: Reader): Promise<void> => {
  const { begin, final } = plan;
  await begin?.();
  if (final !== undefined && reader === 'unasked') {
    const { action, flags, reason, beyondYes } = final;
    throw unconfirmed(context, action, flags, context.settings.yes ? beyondYes : reason);
  }
  await askAboutDanger(context, plan);
};

/** Asks about a plan, unless the command line has agreed or nobody needs to be asked. Says what changes. */
const agree = async (context: Shell, plan: Plan, reader: Reader, found: unknown): Promise<void> => {
  const { question, action, requests, preview, mayBy } = plan;
  const changes = plan.changes?.(found) ?? [];
  if (reader !== 'asked') sayAll(context, changes);
  if (context.frontend !== undefined) mayBy?.(found, 'tool');
  else if (context.settings.yes && !plan.isAgreed) mayBy?.(found, 'yes');
  if (question === undefined) return;
  if (isAgreedTo(context, plan)) {
    refuseTool(context);
    // A confirmed count is not the name of a protected profile.
    return action && confirmProtected(context, action(found));
  }
  const asked = await question(found);
  if (asked?.review !== undefined) return (await import('./review.ts')).askReview(context, asked, asked.review);
  if (asked === undefined) return;
  const list = [...changes.map((line) => spell(line)), ...(asked.list ?? [])];
  const isOwn = requests === undefined && preview === undefined;
  await askAbout(context, { ...asked, list }, isOwn ? 'this machine' : 'service');
};

/** Reads, asks and sends. */
const carryOut = async (context: Shell, plan: Plan): Promise<Reply> => {
  const { settings } = context;
  // What was agreed to was the plan before.
  context.isAgreed = false;
  if (plan.guards !== undefined && settings.profileIs !== plan.guards) settings.yes = false;
  try {
    const reader = readerOf(context, plan);
    await prepare(context, plan, reader);
    const found = await plan.read?.(reader);
    const answer = await plan.nothingToDo?.(found);
    if (answer !== undefined) return answer;
    if (plan.shown !== undefined) await show(context, plan.shown(found));
    await agree(context, plan, reader, found);
    if (context.frontend?.beforeSend !== undefined) {
      refuseTool(context);
      context.frontend.beforeSend();
    }
    context.isAgreed = true;
    return await plan.send(found).catch(plan.refused);
  } finally {
    await plan.end?.();
  }
};

/** Shows the answer of a command, or of its plan once that is carried out. */
export const answer = async (context: Shell, reply: Reply): Promise<void> => {
  if (reply.kind !== 'plan') return show(context, reply);
  if (context.settings.dryRun) {
    const { rehearse } = await import('./rehearse.ts');
    return rehearse(context, reply).finally(reply.end);
  }
  return answer(context, await carryOut(context, reply));
};
