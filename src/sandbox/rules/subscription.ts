import type { Operation } from '../../api/operation.ts';
import { denied } from '../error-replies.ts';
import { unusable } from '../store/database.ts';
import type { Store } from '../store/store.ts';

/**
 * Assumed (organizations.plans): besides `enterprise`, the plans of an organization are `trial`, `free` and `standard`.
 */
export const plans = ['trial', 'free', 'standard', 'enterprise'] as const;

export type Plan = (typeof plans)[number];

/**
 * Assumed (organizations.trial): the stage of an organization is `trial` on the trial plan, and `active` on all others.
 */
export const stageOf = (plan: Plan) => (plan === 'trial' ? 'trial' : 'active');

/** Assumed (errors.plan): an operation that requires another plan is refused with 403 and the name of that plan. */
export const requirePlan = (row: Operation, plan: Plan) => {
  if (row.plan !== undefined && plan !== row.plan)
    throw denied(
      `This operation requires the Enterprise plan. The organization is on ${plan}: please upgrade to Enterprise.`,
    );
};

/** The plan of the only organization. */
export const planOf = (store: Store): Plan =>
  store.first<{ plan: Plan }>("SELECT doc ->> 'plan' AS plan FROM organizations")!.plan;

/** Moves existing data to another plan. Invitations contain the plan too. */
export const changePlan = (store: Store, plan: Plan) => {
  for (const table of ['organizations', 'invitations'])
    store.run(
      `UPDATE ${table} SET doc = json_set(doc, '$.plan', ?, '$.stage', ?) WHERE doc ->> 'plan' <> ?`,
      plan,
      stageOf(plan),
      plan,
    );
};

export const kinds = ['team', 'individual'] as const;

export type Kind = (typeof kinds)[number];

/** Deletes every row that refers to a row that is gone, and the rows that refer to that one. */
const deleteOrphans = (store: Store) => {
  const links = store.all<{ child: string; column: string; parent: string; key: string }>(
    `SELECT t.name AS child, f."from" AS "column", f."table" AS parent, k.name AS key FROM sqlite_master t
     JOIN pragma_foreign_key_list(t.name) f JOIN pragma_table_info(f."table") k ON k.pk = 1 WHERE t.type = 'table'`,
  );
  for (let deleted = 1; deleted > 0; ) {
    deleted = 0;
    for (const { child, column, parent, key } of links)
      deleted += store.run(`DELETE FROM "${child}" WHERE "${column}" NOT IN (SELECT "${key}" FROM "${parent}")`);
  }
};

/**
 * Makes new data that of one person: the owner, with the event types that nobody else hosts, and their events.
 * Assumed (organizations.individual): an individual organization has no member besides its owner, no groups and no
 * invitations. To invite somebody is refused with 403.
 */
export const keepOnlyOwner = (store: Store) => {
  const owner = "(SELECT user FROM memberships WHERE role = 'owner')";
  store.exec(`PRAGMA defer_foreign_keys = ON;
    DELETE FROM event_types WHERE id IN (SELECT event_type FROM event_type_hosts WHERE user NOT IN ${owner});
    DELETE FROM events WHERE id IN (SELECT event FROM event_hosts WHERE user NOT IN ${owner});
    DELETE FROM webhooks WHERE scope <> 'organization' AND owner NOT IN ${owner};
    DELETE FROM activity WHERE doc ->> '$.actor.uri' NOT IN (SELECT doc ->> 'uri' FROM users WHERE id IN ${owner});
    DELETE FROM groups;
    DELETE FROM invitations;
    DELETE FROM users WHERE id NOT IN ${owner}`);
  deleteOrphans(store);
  store.exec(`DELETE FROM submissions WHERE doc ->> 'submitter' NOT IN (SELECT doc ->> 'uri' FROM invitees)
      OR (doc ->> '$.result.type' = 'event_type' AND doc ->> '$.result.value' NOT IN (SELECT doc ->> 'uri' FROM event_types))`);
};

/** Changes the kind of existing data. Nobody is removed from it: that would delete what they did. */
export const changeKind = (store: Store, kind: Kind) => {
  const { members } = store.first<{ members: number }>('SELECT count(*) AS members FROM memberships')!;
  if (kind === 'individual' && members > 1)
    throw unusable(`The organization in the data has ${members} members, and an individual one has only its owner.`);
  for (const table of ['organizations', 'invitations'])
    store.run(`UPDATE ${table} SET doc = json_set(doc, '$.kind', ?)`, kind);
};
