import { basename } from 'node:path';
import { hasCategory } from '../../base/errors.ts';
import type { Answer } from '../../cli/answer/answer.ts';
import { ownPlan, type Plan } from '../../cli/answer/plan.ts';
import type { Call } from '../../cli/input/input.ts';
import type { Context } from '../../cli/session/context.ts';
import { allMirrors, forgetMarked, noMirror, removeMirror, withMirror } from '../../cli/session/open-mirror.ts';
import { lstatSync } from '../../node/files.ts';
import { filesOf } from '../../sandbox/mirror/forget.ts';
import { mirrorAge } from '../../sandbox/mirror/open.ts';
import type { Store } from '../../sandbox/store/store.ts';
import { utcText } from '../../time/wall.ts';
import type { DeleteInput, StatusInput } from './input.ts';
import { mirrorLock, ownMirror } from './own-mirror.ts';
import { statusView } from './view.ts';

const count = (store: Store, sql: string): number =>
  store.first<{ count: number }>(`SELECT count(*) AS count ${sql}`)!.count;

/** What a mirror has, how old it is, and what is missing. */
const statusOf = (context: Context, file: string) =>
  withMirror(context.runtime, file, async (mirror) => {
    await forgetMarked(context, mirror);
    const { store, facts } = mirror;
    const { asOf, since, until, baseUrl, organization, begun } = facts;
    const age = mirrorAge(facts, context.runtime.clock);
    const time = (at: number | null | undefined) => (at === undefined || at === null ? null : utcText(at));
    const oldest = store.first<{ at: number | null }>('SELECT min(read_at) AS at FROM mirror_events')?.at;
    const name = store.first<{ name: string }>("SELECT doc ->> 'name' AS name FROM organizations")?.name;
    const refused = store.all<{ list: string }>('SELECT list FROM mirror_lists WHERE status IS NOT NULL');
    return {
      name: basename(file, '.db'),
      base_url: baseUrl,
      organization,
      organization_name: name ?? null,
      complete: asOf !== undefined,
      as_of: time(asOf),
      age_seconds: age === undefined ? null : Math.round(age / 1000),
      syncing_since: time(begun?.at),
      since: utcText(since),
      until: utcText(until),
      events: count(store, 'FROM events'),
      invitees: count(store, 'FROM invitees'),
      missing_lists: count(store, 'FROM mirror_events WHERE read_at IS NULL'),
      oldest_list: time(oldest),
      not_read: [...new Set(refused.map(({ list }) => list.split('/')[0]!))],
      forgotten: count(store, "FROM invitees WHERE email LIKE 'deleted-%@deleted.invalid'"),
      bytes: filesOf(file).reduce((sum, path) => sum + lstatSync(path).size, 0),
      file,
    };
  });

export const runStatus = async ({ all }: StatusInput, { context }: Call): Promise<Answer> => {
  const { runtime, notes } = context;
  if (!all) return { kind: 'record', view: statusView, record: await statusOf(context, await ownMirror(context)) };
  const rows = [];
  for (const file of allMirrors(runtime)) {
    const row = await statusOf(context, file).catch((error: unknown) => {
      if (!hasCategory(error, 'environment')) throw error;
      notes.warn(`${error.message}: ${error.facts.reason ?? file}`);
      return undefined;
    });
    if (row !== undefined) rows.push(row);
  }
  return { kind: 'rows', view: statusView, pages: [rows], empty: 'No mirrors found' };
};

/** Deletes a mirror, which no process may sync meanwhile. */
const deleteFile = async (context: Context, file: string): Promise<Answer> => {
  const held = (await mirrorLock(context, file).acquire())!;
  try {
    removeMirror(file);
  } finally {
    await held.release();
  }
  return { kind: 'nothing', hints: [`mirror deleted: ${file}`] };
};

export const runDelete = async ({ name }: DeleteInput, { context }: Call): Promise<Plan> => {
  const file =
    name === undefined
      ? await ownMirror(context)
      : allMirrors(context.runtime).find((each) => basename(each, '.db') === name);
  if (file === undefined) throw noMirror();
  return ownPlan({
    question: () => ({ question: 'Delete this mirror?', action: 'delete the mirror', facts: [['file', file]] }),
    send: () => deleteFile(context, file),
  });
};
