import { locationKinds } from '../../api/locations.ts';
import { shares } from '../../api/shares.ts';
import { isObject } from '../../json.ts';
import { readRule } from '../../time/availability-rules.ts';
import type { Flag, Invocation } from '../command.ts';
import { type Decorations, type GenericCommand, printRequest } from '../operation/generic-command.ts';
import { readInput } from '../operation/input.ts';
import { openPage, type Page, webFlag } from '../operation/open-page.ts';
import { printCreated, writeAndRead } from '../operation/write-result.ts';

/** `--location-kind` and `--location`, for bodies whose location is not a plain object. */
const locationFlags: Flag[] = [
  { name: 'location-kind', value: 'WORD', choices: locationKinds, description: 'kind of location' },
  { name: 'location', value: 'TEXT', description: 'address, phone number or instructions' },
];

const readLocation = ({ typed, problems }: Invocation): { kind: string; location?: string } | undefined => {
  const kind = typed['location-kind'] as string | undefined;
  const location = typed.location as string | undefined;
  if (kind === undefined) {
    if (location !== undefined) problems.add('--location needs --location-kind');
    return undefined;
  }
  problems.choice('location-kind', kind, locationKinds);
  return { kind, ...(location === undefined ? {} : { location }) };
};

export const examples = {
  create: [
    'shares create --event-type "Intro call" --name "Call with Ada"',
    'shares create --event-type YBL6DUNR9FS4PNP6 --duration 30 --duration-option 15 --duration-option 30 --json',
  ],
};

const ruleFlag: Flag = {
  name: 'rule',
  value: 'RULE',
  repeat: true,
  description: "hours instead of the event type's, as 'monday 09:00-12:00'",
};

const bookingPage: Page = { field: 'scheduling_links.0.booking_url', name: 'booking page', outcome: 'applied' };

const runCreate = async ({ fieldFlags, view }: GenericCommand, invocation: Invocation): Promise<void> => {
  const { context, typed, problems } = invocation;
  const rules = ((typed.rule as string[] | undefined) ?? []).flatMap((text) => {
    const read = readRule(text);
    if (!read.ok) problems.add(`--rule ${read.problem}`);
    return read.ok ? read.value : [];
  });
  const location = readLocation(invocation);
  const input = await readInput(invocation, shares.create, fieldFlags, async (body) => {
    // Keep the time zone of the hours, which may come from a flag or the body.
    const hours = isObject(body.availability_rule) ? body.availability_rule : {};
    if (rules.length > 0) body.availability_rule = { ...hours, rules };
    if (location !== undefined) body.location_configurations = [location];
  });
  if (context.settings.dryRun) return printRequest(context, shares.create, [input]);
  const share = await writeAndRead(context, shares.create, input);
  await context.notes.done('Created a single-use booking link');
  await printCreated(context, view, share);
  if (typed.web === true) await openPage(context, share, bookingPage);
};

export const decorate = {
  create: (generic) => ({
    flags: [...generic.flags.slice(0, -1), ruleFlag, ...locationFlags, generic.flags.at(-1)!, webFlag],
    run: (invocation) => runCreate(generic, invocation),
  }),
} satisfies Decorations;
