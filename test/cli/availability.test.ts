import { beforeEach, describe, expect, test } from 'vitest';
import type { Send } from '../../src/http/message.ts';
import { createWorld } from '../support/run.ts';

let world: Awaited<ReturnType<typeof createWorld>>;
let schedule: string;
beforeEach(async () => {
  world = await createWorld();
  schedule = (await world.run('availability list --event-type "Intro call" --limit 1 -o id')).stdout.trim();
});

const writes = ({ requests }: { requests: { method: string }[] }) => requests.filter(({ method }) => method !== 'GET');

describe('availability update', () => {
  test.each(['{}', 'null', '[null]'])('changes nothing if the current rules are %s', async (rules) => {
    const send: Send = async (request) => {
      const reply = await world.service(request);
      const isList = request.method === 'GET' && request.url.includes('/event_type_availability_schedules');
      return isList ? { ...reply, body: reply.body.replaceAll(/"rules":\[.*?\]\}\]/g, `"rules":${rules}`) } : reply;
    };
    const line = `availability update ${schedule} --event-type "Intro call" --yes`;
    const merged = await world.run(`${line} --day-off 2030-12-24`, { send });
    expect({ code: merged.code, writes: writes(merged) }).toEqual({ code: 13, writes: [] });
    const replaced = await world.run(`${line} --replace --day-off 2030-12-24`, { send });
    expect({ code: replaced.code, writes: writes(replaced).length }).toEqual({ code: 0, writes: 1 });
  });
});
