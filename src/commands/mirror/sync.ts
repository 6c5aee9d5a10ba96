import { activity } from '../../api/activity.ts';
import { fallBack, SchedError } from '../../base/errors.ts';
import { hour } from '../../base/milliseconds.ts';
import { counted, formatNumber } from '../../base/numbers.ts';
import type { Answer } from '../../cli/answer/answer.ts';
import { ownPlan, type Plan, type Question } from '../../cli/answer/plan.ts';
import type { Call } from '../../cli/input/input.ts';
import { mirrorAccount, shownUrl } from '../../cli/session/connection.ts';
import type { Context } from '../../cli/session/context.ts';
import { ownerOfToken } from '../../cli/session/identity.ts';
import { withMarks } from '../../cli/session/mirror-marks.ts';
import {
  forgetMarked,
  makeMirrorDirectory,
  mirrorFile,
  windowText,
  withMirrorFile,
} from '../../cli/session/open-mirror.ts';
import { existsSync } from '../../node/files.ts';
import { durationText } from '../../output/progress.ts';
import { forgetter, type Marks } from '../../sandbox/mirror/forget.ts';
import { factsOf, type MirrorFacts, setFacts } from '../../sandbox/mirror/open.ts';
import { noteList, writers } from '../../sandbox/mirror/write.ts';
import type { Store } from '../../sandbox/store/store.ts';
import { defaultSpan, type SyncInput } from './input.ts';
import { mirrorLock } from './own-mirror.ts';
import { type Refusal, readLists, readRole } from './read-account.ts';
import { readActivity, readInvitees, readWindow, removeMissing, type Sync } from './read-events.ts';

/** An interrupted sync is continued for so long. Later, its list of events would be too old. */
const continuedFor = 12 * hour;

/** The time given with `--for` is over. What was read is stored. */
class TimeIsUp extends Error {}

/** Nothing is mirrored before somebody agrees to it. Nobody is real in the sandbox. */
const firstQuestion = ({ settings }: Context, file: string): Question | undefined => {
  if (existsSync(file) || settings.sandbox) return undefined;
  return {
    question: 'Keep a copy of this account on this machine?',
    action: 'keep a copy of this account on this machine',
    facts: [
      ['keeps', 'events, invitees with their addresses and answers, members, event types, hours, forms, activity log'],
      ['never', 'tokens, logins, webhooks'],
      ['file', file],
      ['backups', 'leave this file out: they would keep people whom the service has deleted'],
    ],
  };
};

/** How far the service's clock is ahead of this machine's, as its last reply told. */
const aheadOf = ({ now, runtime }: Context): number => now() - runtime.clock.now();

/** The facts of the mirror, with a sync that begins or continues. */
const begin = async (
  context: Context,
  stored: MirrorFacts | undefined,
  { since, until, again }: SyncInput,
  { user, organization, role }: Pick<MirrorFacts, 'user' | 'organization' | 'role'>,
): Promise<Sync['facts']> => {
  const { identity, connection } = context;
  const current = await connection();
  // The port of the sandbox is another one each time.
  const baseUrl = shownUrl(current.baseUrl, current);
  const root = await identity.root();
  if (
    stored !== undefined &&
    (stored.user !== user || stored.organization !== organization || stored.baseUrl !== baseUrl)
  )
    throw new SchedError('conflict', `This is the mirror of ${stored.user} at ${stored.baseUrl}`, {
      reason: `the token belongs to ${user}`,
      hint: { command: ['mirror', 'delete'] },
    });
  const now = context.now();
  const begun = stored?.begun;
  const isContinued =
    begun !== undefined && now - begun.at < continuedFor && since === undefined && until === undefined;
  const last = begun ?? (stored?.asOf === undefined ? undefined : { ...stored, at: stored.asOf });
  // The window moves along: it reaches as far back and ahead as before.
  const [back, ahead] = last === undefined ? [defaultSpan, defaultSpan] : [last.at - last.since, last.until - last.at];
  const fresh = { at: now, since: since ?? now - back, until: until ?? now + ahead, isAgain: again };
  const next = isContinued ? { ...begun, isAgain: begun.isAgain || again } : fresh;
  const { since: from, until: to } = stored?.asOf === undefined ? next : stored;
  return {
    ...stored,
    ...{ baseUrl, root, user, organization, role },
    since: from,
    until: to,
    ahead: aheadOf(context),
    pass: isContinued ? stored!.pass : (stored?.pass ?? 0) + 1,
    begun: next,
  };
};

const readAll = async (sync: Sync, refusal: Refusal | undefined, say: (stage: string, text: string) => void) => {
  const { client, store, facts, write, checkTime, now } = sync;
  if (!facts.begun.hasLists) {
    let lists = 0;
    for await (const { list, operation, about, records, refusal: refused } of readLists(client, facts, sync.problems)) {
      write((writing) => {
        if (refused === undefined) writers[operation.name]!(writing, records, about);
        noteList(writing, list, now(), records.length, refused);
      });
      lists += 1;
      checkTime();
    }
    facts.begun.hasLists = true;
    setFacts(store, facts);
    say('people, event types, hours, forms', counted(lists, 'list'));
  }
  const named = client.offers(activity.list) ? await readActivity(sync) : new Set<string>();
  const { user, organization, role } = facts;
  await readWindow(sync, role === 'user' ? { user } : { organization }, refusal);
  await removeMissing(sync);
  say('events', formatNumber(store.first<{ count: number }>('SELECT count(*) AS count FROM events')!.count));
  say('invitees', `of ${counted(await readInvitees(sync, named), 'event')}`);
};

/** Stores in transactions that see who is forgotten by then: another process may add somebody at any time. */
const writerOf = (store: Store, facts: MirrorFacts, { keys, macs }: Marks): Sync['write'] => {
  let count = -1;
  let known = forgetter(store, facts, { keys, macs });
  return (work) =>
    store.transaction(() => {
      const stored = store.first<{ count: number }>('SELECT count(*) AS count FROM mirror_forgotten')!.count;
      if (stored !== count) {
        const rows = store.all<{ mac: string }>('SELECT mac FROM mirror_forgotten');
        known = forgetter(store, facts, { keys, macs: new Set(rows.map(({ mac }) => mac)) });
        count = stored;
      }
      work({ ...known, store, facts });
    });
};

/** Reads what is missing into the file. One process at a time. */
const syncFile = async (values: SyncInput, context: Context, file: string): Promise<Answer> => {
  const { runtime, settings, notes } = context;
  const started = runtime.clock.now();
  makeMirrorDirectory(runtime);
  const held = (await mirrorLock(context, file).acquire())!;
  let progress = { done: 0, total: 0 };
  const problems: SchedError[] = [];
  let stopShowing = () => {};
  try {
    const client = await context.client();
    const { identity } = context;
    // Not SCHED_USER: the mirror answers as the service answers this token.
    const owner = await ownerOfToken(runtime, await context.connection(), context.client).catch(
      fallBack(undefined, 'forbidden'),
    );
    const people = { user: owner?.user ?? (await identity.user()), organization: await identity.organization() };
    const { role, refusal } = await readRole(client, people);
    await withMirrorFile(runtime, file, async (store) => {
      const facts = await begin(context, factsOf(store), values, { ...people, role });
      // Records can only be compared with marks whose keys are known when the sync begins.
      await withMarks(context, (each) => each.add(facts.organization, []));
      const marks = await forgetMarked(context, { store, file, facts });
      setFacts(store, facts);
      notes.info(
        `Mirror of ${new URL(facts.baseUrl).host}: events ${windowText(facts.begun, settings.zone)}, with their invitees`,
        'heading',
      );
      if (!values.fullSpeed && !settings.sandbox)
        notes.info('Uses at most half of the rate limit. Stop it at any time: the next sync continues');
      const sync: Sync = {
        client,
        store,
        facts,
        write: writerOf(store, facts, marks),
        checkTime: () => {
          if (values.for !== undefined && runtime.clock.now() - started >= values.for) throw new TimeIsUp();
        },
        now: context.now,
        atOnce: values.fullSpeed ? 4 : 1,
        problems,
        onProgress: (done, total) => {
          progress = { done, total };
        },
      };
      stopShowing = notes.alive(() => ({
        name: 'Mirror',
        facts: [`${formatNumber(progress.done)} of ${formatNumber(progress.total)} read`],
      }));
      await readAll(sync, refusal, (stage, text) => notes.info(`${stage}: ${text}`));
      const { begun, ...rest } = facts;
      const done: MirrorFacts = {
        ...rest,
        since: begun.since,
        until: begun.until,
        asOf: begun.at,
        ahead: aheadOf(context),
      };
      setFacts(store, done);
      // Another machine may have deleted somebody meanwhile.
      await forgetMarked(context, { store, file, facts: done });
      // The log has what was replaced.
      store.all('PRAGMA wal_checkpoint(TRUNCATE)');
    });
    const [first] = problems;
    if (first !== undefined)
      throw new SchedError('integrity', `The mirror is complete, but for ${counted(problems.length, 'list')}`, {
        reason: [first.message, first.facts.reason].filter(Boolean).join(': '),
        outcome: 'not-applied',
      });
    return {
      kind: 'nothing',
      done: { log: `the mirror is complete: ${counted(progress.total, 'list')} of invitees read` },
    };
  } catch (error) {
    if (!(error instanceof TimeIsUp)) throw error;
    return {
      kind: 'nothing',
      hints: [`Stopped after ${durationText(values.for! / 1000)}. The next sync continues`],
    };
  } finally {
    stopShowing();
    await held.release();
  }
};

export const runSync = async (values: SyncInput, { context }: Call): Promise<Plan> => {
  const { runtime, settings } = context;
  const file = mirrorFile(runtime, await mirrorAccount(runtime, settings));
  await context.connection();
  return ownPlan({
    question: () => firstQuestion(context, file),
    send: () => syncFile(values, context, file),
  });
};
