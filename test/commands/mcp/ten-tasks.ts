import type { Client } from '@modelcontextprotocol/client';
import { slot } from '../../support/lost-replies.ts';
import type { Structured } from '../../support/mcp-client.ts';
import type { TestWorld } from '../../support/run.ts';
import { argumentsFor } from './tool-arguments.ts';

/** The words to search for, the command that does the task, and its arguments. */
export type Task = [query: string, command: string, values: Record<string, unknown>];

/** Ten tasks of a person, twice. The writes of the second time differ from those of the first. */
export const tenTasks = async (world: TestWorld): Promise<[Task[], Task[]]> => {
  const known = await argumentsFor(world);
  const { event_type } = known.event_types_get!;
  const upcoming = (await world.run('events list --status active --upcoming --limit 2 -o id')).stdout.split('\n');
  const invitee = { email: 'ada@engine.example', name: 'Ada Byron', timezone: 'Europe/Paris' };
  const tasks = (turn: 0 | 1): Task[] => [
    ['who am I: current user', 'users_me', {}],
    ['list next events', 'events_list', { upcoming: true, limit: 5 }],
    ['show one event and who comes', 'events_get', known.events_get!],
    ['show my week', 'events_agenda', { limit: 10 }],
    ['list event types that can be booked', 'event_types_list', { limit: 5 }],
    ['when is a free time', 'event_types_slots', { event_type, limit: 5 }],
    ['why is a time not free', 'event_types_why', known.event_types_why!],
    ['book a meeting', 'invitees_create', { event_type, start: slot(20 + turn), ...invitee }],
    ['cancel an event', 'events_cancel', { event: [upcoming[turn]] }],
    ['count events and no-shows', 'events_stats', { no_shows: true }],
  ];
  return [tasks(0), tasks(1)];
};

interface Cost {
  calls: number;
  characters: number;
}

/** Calls tools, and counts the calls and the characters that go both ways, also those of searches alone. */
export const counting = (client: Client) => {
  const all: Cost = { calls: 0, characters: 0 };
  const searches: Cost = { calls: 0, characters: 0 };
  const call = async (name: string, values: Record<string, unknown>) => {
    const result = await client.callTool({ name, arguments: values });
    const characters = JSON.stringify({ name, arguments: values }).length + JSON.stringify(result).length;
    for (const cost of name === 'search_commands' ? [all, searches] : [all]) {
      cost.calls += 1;
      cost.characters += characters;
    }
    const [first] = result.content as { text: string }[];
    return { text: first!.text, structured: result.structuredContent as unknown as Structured };
  };
  return { all, searches, call };
};
