import type { TestWorld } from '../support/run.ts';

/** Command lines by operation, each of which succeeds in a fresh world. */
export const linesIn = async ({ run }: TestWorld): Promise<Record<string, string>> => {
  const json = async (line: string) => JSON.parse((await run(`${line} --json`)).stdout);
  const types = await json('event-types list --active');
  const type = types.find(
    (each: { kind: string; pooling_type: string | null; custom_questions: { required: boolean }[] }) =>
      each.kind === 'solo' && each.pooling_type === null && each.custom_questions.every(({ required }) => !required),
  ).uri;
  const [event] = await json('events list --status active --until today --limit 1');
  const [invitee] = await json(`invitees list ${event.uri} --status active`);
  const [schedule] = await json(`availability list --event-type ${type}`);
  const [group] = await json('groups list');
  const [relationship] = await json('groups relationships');
  const [form] = await json('routing-forms list');
  const [member] = await json('members list --limit 1');
  const [other] = await json('members list --role user --limit 1');
  const [invitation] = await json('invitations list --status pending');
  const [webhook] = await json('webhooks list');
  const held = await json('events list --past --with invitees');
  const missed = held
    .flatMap(({ _sched }: { _sched: { invitees: { uri: string; no_show: unknown }[] } }) => _sched.invitees)
    .find((each: { no_show: unknown }) => each.no_show !== null);
  const me = await json('users me');
  return {
    'events list': 'events list --limit 1',
    'events get': `events get ${event.uri}`,
    'events cancel': `events cancel ${event.uri} --yes`,
    'invitees list': `invitees list ${event.uri}`,
    'invitees get': `invitees get ${invitee.uri}`,
    'invitees create': `invitees create --event-type ${type} --start 2027-02-01T10:00:00Z --email ada@engine.example --name Ada --timezone UTC`,
    'invitees no-show': `invitees no-show ${invitee.uri}`,
    'invitees undo-no-show': `invitees no-show ${missed.uri} --undo --yes`,
    'event-types list': 'event-types list --limit 1',
    'event-types get': `event-types get ${type}`,
    'event-types create': 'event-types create --name Chat --duration 25',
    'event-types update': `event-types update ${type} --name Changed`,
    'event-types hosts': `event-types hosts ${type}`,
    'availability list': `availability list --event-type ${type}`,
    'availability update': `availability update ${schedule.uri} --event-type ${type} --day-off 2026-12-24 --yes`,
    'availability update-all': `availability update --event-type ${type} --day-off 2026-12-24 --yes`,
    'shares create': `shares create --event-type ${type}`,
    'one-offs create': 'one-offs create --name Planning --duration 45 --days 7',
    'locations list': 'locations list',
    'routing-forms list': 'routing-forms list',
    'routing-forms submissions': `routing-forms submissions ${form.uri}`,
    'orgs get': 'orgs get',
    'members list': 'members list --limit 1',
    'members get': `members get ${member.uri}`,
    'members remove': `members remove ${other.uri} --yes`,
    'invitations list': 'invitations list',
    'invitations create': 'invitations create --email ada@engine.example --yes',
    'invitations revoke': `invitations revoke ${invitation.uri} --yes`,
    'groups list': 'groups list',
    'groups get': `groups get ${group.uri}`,
    'groups relationships': 'groups relationships',
    'groups relationship': `groups relationship ${relationship.uri}`,
    'users me': 'users me',
    'users get': `users get ${me.uri}`,
    'activity list': 'activity list --limit 1',
    'compliance delete': 'compliance delete noa.levi@gefen.example --yes',
    'webhooks list': 'webhooks list',
    'webhooks get': `webhooks get ${webhook.uri}`,
    'webhooks create': 'webhooks create --url https://example.com/hooks --events invitee.created',
    'webhooks delete': `webhooks delete ${webhook.uri} --yes`,
    'mcp metadata': 'mcp metadata',
  };
};
