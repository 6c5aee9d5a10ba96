import { events } from '../../api/events.ts';
import type { Command } from '../command.ts';
import { type GenericCommand, genericCommand, positional } from '../operation/generic-command.ts';
import { localFilterNote, runEventsList, withSearch } from './events-list.ts';

export const examples = {
  list: ['groups list', 'groups list --json=uri,name'],
  get: ['groups get "Customer team"', 'groups get 4UJ8LXFLWJYWQTRF --json'],
  relationships: ['groups relationships', 'groups relationships --group 4UJ8LXFLWJYWQTRF'],
  relationship: ['groups relationship HB8N8LNQ4EHPYKRQ', 'groups relationship HB8N8LNQ4EHPYKRQ --json'],
};

/** `groups events`: the command `events list`, limited to one group. */
export const extra = (): Command[] => {
  const list = withSearch(genericCommand('events', 'events', events.list));
  const narrowed: GenericCommand = {
    ...list,
    summary: 'List the scheduled events of a group',
    fieldFlags: list.fieldFlags.map((flag) => (flag.name === 'group' ? { ...flag, required: true } : flag)),
    flags: list.flags.filter(({ name }) => !['user', 'org', 'invitee'].includes(name)),
    // This command has no --invitee, so its note is left out.
    notes: list.notes!.map((note) => (note.startsWith(localFilterNote) ? localFilterNote : note)),
    examples: ['groups events "Customer team" --week', 'groups events 4UJ8LXFLWJYWQTRF --json=name,start_time'],
  };
  return [positional(narrowed, 'group', true, runEventsList)];
};
