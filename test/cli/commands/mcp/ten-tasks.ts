import type { Client } from '@modelcontextprotocol/client';
import type { Structured } from '../../../support/mcp-client.ts';
import type { TestWorld } from '../../../support/run.ts';
import { slot } from '../../lost-answers.ts';
import { argumentsFor } from './tool-arguments.ts';

/** A task that a person would give to a model, the words to search for, and the call that does it. */
export interface Task {
  task: string;
  query: string;
  command: string;
  values: Record<string, unknown>;
}

/** Ten tasks. `turn` makes the writes of one run differ from those of another. */
export const tenTasks = async (world: TestWorld, turn: number): Promise<Task[]> => {
  const known = await argumentsFor(world);
  const { event_type } = known.event_types_get!;
  const upcoming = (await world.run('events list --status active --upcoming --limit 1 -o id')).stdout.trim();
  const invitee = { email: `ada${turn}@engine.example`, name: 'Ada Byron', timezone: 'Europe/Paris' };
  return [
    { task: 'Who am I?', query: 'current user', command: 'users_me', values: {} },
    { task: 'What is next?', query: 'list events', command: 'events_list', values: { upcoming: true, limit: 5 } },
    { task: 'Who comes?', query: 'get an event', command: 'events_get', values: known.events_get! },
    { task: 'Show my week', query: 'agenda week', command: 'events_agenda', values: { limit: 10 } },
    { task: 'What can be booked?', query: 'event types', command: 'event_types_list', values: { limit: 5 } },
    {
      task: 'When is a time free?',
      query: 'free times',
      command: 'event_types_slots',
      values: { event_type, limit: 5 },
    },
    {
      task: 'Why is this time not free?',
      query: 'why is a time not free',
      command: 'event_types_why',
      values: known.event_types_why!,
    },
    {
      task: 'Book it',
      query: 'book a time for somebody',
      command: 'invitees_create',
      values: { event_type, start: slot(20 + turn), ...invitee },
    },
    { task: 'Cancel an event', query: 'cancel an event', command: 'events_cancel', values: { event: [upcoming] } },
    { task: 'How many no-shows?', query: 'count no-shows', command: 'events_stats', values: { no_shows: true } },
  ];
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
