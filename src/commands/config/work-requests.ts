import { availability } from '../../api/availability.ts';
import { eventTypes } from '../../api/event-types.ts';
import type { Operation } from '../../api/operation.ts';
import { webhooks } from '../../api/webhooks.ts';
import { idIn } from '../../base/uri.ts';
import type { Input } from '../../client/wire.ts';
import type { Rule } from '../../time/availability-rules.ts';
import { stepsOf } from './work-changes.ts';
import type { Change, Plan, ScheduleChange, TypeChange, WebhookChange, World } from './work-model.ts';
import { rulesAfter } from './work-normalize.ts';

export interface ConfigRequest {
  operation: Operation;
  input: Input;
}

/** Stands for the ID of a record that isn't there yet, in a request that is only printed. */
const newId = 'NEW';

const typeRequest = ({ action, uri = newId, owner, fields }: TypeChange): ConfigRequest => {
  const values = Object.fromEntries(Object.entries(fields).map(([name, { after }]) => [name, after]));
  if (action === 'update')
    return { operation: eventTypes.update, input: { path: { event_type: idIn(uri) }, body: values } };
  // A new type has default hours. It can be booked as soon as it has its own.
  return { operation: eventTypes.create, input: { body: { owner, ...values, active: false } } };
};

const scheduleRequest = (change: ScheduleChange, { users }: World): ConfigRequest => {
  const { uri = newId, eventType = newId, user, timezone, fields } = change;
  // Other types that share the schedule have an older copy.
  const type = users.flatMap(({ types }) => types).find(({ record }) => record.uri === eventType);
  const current = type?.schedules?.find((each) => each.uri === change.uri && each.user === user);
  const hasRules = Object.keys(fields).some((name) => name !== 'timezone');
  const body = {
    ...(hasRules ? { rules: rulesAfter((current?.rules ?? []) as Rule[], change) } : {}),
    ...(fields.timezone === undefined ? {} : { timezone }),
  };
  return {
    operation: availability.update,
    input: {
      path: { schedule: idIn(uri) },
      body,
      known: { event_type: eventType, user, timezone: timezone ?? current?.timezone },
    },
  };
};

const webhookRequests = (change: WebhookChange, { organization }: World, key: string | undefined): ConfigRequest[] => {
  const { action, uri, scope, owner, entry } = change;
  const remove = { operation: webhooks.delete, input: { path: { webhook: idIn(uri) } } };
  if (entry === undefined) return [remove];
  const whose = scope === 'organization' ? {} : { [scope]: owner };
  const signing = key === undefined ? {} : { signing_key: key };
  const body = { url: entry.url, events: entry.events, organization, scope, ...whose, ...signing };
  const create = { operation: webhooks.create, input: { body } };
  return action === 'replace' ? [remove, create] : [create];
};

/** The requests of a change. `key` signs the deliveries of a new webhook. */
export const requestsOfChange = (change: Change, world: World, key?: string): ConfigRequest[] => {
  if (change.kind === 'webhook') return webhookRequests(change, world, key);
  return [change.kind === 'schedule' ? scheduleRequest(change, world) : typeRequest(change)];
};

/** All requests of a plan, in their order, to be printed. */
export const requestsOf = (plan: Plan, world: World): ConfigRequest[] =>
  stepsOf(plan).flatMap(({ phase, change }) => {
    if (change.kind === 'event type' && change.action === 'create' && phase === 'activate')
      return requestsOfChange({ ...change, action: 'update', fields: { active: change.fields.active! } }, world);
    const { signing_key_env, signing_key_file } = (change.kind === 'webhook' && change.entry) || {};
    return requestsOfChange(
      change,
      world,
      (signing_key_env ?? signing_key_file) === undefined ? undefined : '[signing key]',
    );
  });
