import { locationKinds } from '../api/locations.ts';
import type { Operation } from '../api/operation.ts';
import { moreShares, shares } from '../api/shares.ts';
import { isObject } from '../base/json.ts';
import { self, words } from '../base/words.ts';
import { type Plan, plan } from '../cli/answer/plan.ts';
import { entry, present } from '../cli/input/entry.ts';
import { both, type Call, input, taking, type Values } from '../cli/input/input.ts';
import { accept, type Kind, refuse } from '../cli/input/kind.ts';
import { choice, text } from '../cli/input/kinds.ts';
import { needs } from '../cli/input/relations.ts';
import type { Decorations } from '../cli/operation/generic-command.ts';
import { type Draft, requestDraft, requestInput } from '../cli/operation/input.ts';
import { webEntry } from '../cli/operation/open-page.ts';
import { writeAndRead } from '../cli/operation/write-result.ts';
import { bodyFlag } from '../cli/parse/shared-flags.ts';
import type { Context } from '../cli/session/context.ts';
import type { Input } from '../client/wire.ts';
import type { View } from '../output/view.ts';
import type { Rule } from '../time/availability-rules.ts';
import { readRule } from '../time/read-rules.ts';

export const examples = {
  create: [
    'shares create --event-type "Intro call" --name "Call with Ada"',
    'shares create --event-type YBL6DUNR9FS4PNP6 --duration 30 --duration-option 15 --duration-option 30 --json',
  ],
  'create-link': [
    'shares create-link --event-type "Intro call"',
    'shares create-link --event-type YBL6DUNR9FS4PNP6 --json=booking_url',
  ],
};

const ruleKind: Kind<Rule[]> = {
  value: 'RULE',
  json: 'string',
  read: (raw) => {
    const reading = readRule(raw);
    return reading.ok ? accept(reading.value) : refuse(words`${self} ${reading.problem}`);
  },
};

const entries = {
  rule: entry(ruleKind, "hours instead of the event type's, as 'monday 09:00-12:00'", { many: true }),
  locationKind: choice(locationKinds, 'kind of location'),
  location: text('address, phone number or instructions'),
};

const ownInput = input(entries, needs(['location'], ['locationKind']));

const pageInput = input({ web: webEntry() });

/** Creates a link. `field` holds the URL of its page. */
const createLink = (
  context: Context,
  operation: Operation,
  input: Input,
  { view, web, field }: { view: View; web: boolean; field: string },
): Plan =>
  plan({
    requests: () => ({ operation, inputs: [input] }),
    send: async () => ({
      kind: 'record',
      view,
      record: await writeAndRead(context, operation, input),
      done: { log: 'Created a single-use booking link' },
      isNew: true,
      page: web ? { field, name: 'booking page', outcome: 'applied' } : undefined,
    }),
  });

const runCreateShare = async (
  { request, rule, locationKind: kind, location, web }: Values<typeof entries> & { request: Draft; web: boolean },
  { context }: Call,
  view: View,
): Promise<Plan> => {
  const rules = rule.flat();
  const input = await request.finish(async (body) => {
    // Keep the time zone of the hours, which may come from a flag or the body.
    const hours = isObject(body.availability_rule) ? body.availability_rule : {};
    if (rules.length > 0) body.availability_rule = { ...hours, rules };
    if (kind !== undefined) body.location_configurations = [{ kind, ...present({ location }) }];
  });
  return createLink(context, shares.create, input, { view, web, field: 'scheduling_links.0.booking_url' });
};

export const decorate = {
  create: (generic) => {
    const request = requestDraft(shares.create, generic.fieldFlags);
    return {
      ...taking(both(both(ownInput, request), pageInput), (...call) => runCreateShare(...call, generic.view)),
      flags: [...request.flags, ...ownInput.flags, bodyFlag, ...pageInput.flags],
    };
  },
  'create-link': ({ fieldFlags, flags, view }) => ({
    ...taking(
      both(requestInput(moreShares['create-link'], fieldFlags), pageInput),
      async ({ request: { rows: _, record: __, ...input }, web }, { context }) =>
        createLink(context, moreShares['create-link'], input, { view, web, field: 'booking_url' }),
    ),
    flags: [...flags, ...pageInput.flags],
  }),
} satisfies Decorations;
