import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unlimitedHeaders } from '../../src/sandbox/rules/rate-limits.ts';
import { besideWithCpu, type Figure, interleave } from './measurement.ts';
import { cleanEnvironment, cpuHook, sched, spent } from './programs.ts';

const rounds = 7;
const hosts = 10;
const eventsPerHost = 200;
const pageSize = 100;
const minute = 60_000;
const uri = (path: string) => `http://127.0.0.1/${path}`;
const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'];

const users = Array.from({ length: hosts }, (_, index) => ({
  uri: uri(`users/HOST${index}`),
  name: `Host ${index}`,
  email: `host${index}@people.example`,
}));

const eventType = { uri: uri('event_types/T'), name: 'Board', duration: 30, pooling_type: 'collective', active: true };

const schedules = users.map((user, index) => ({
  uri: uri(`event_type_availability_schedules/S${index}`),
  user: user.uri,
  timezone: ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata'][index % 3],
  rules: weekdays.map((wday) => ({ type: 'wday', wday, intervals: [{ from: '06:00', to: '22:00' }] })),
}));

/** Each host has meetings of 15 minutes, spread over 30 days. */
const eventsOf = (index: number, from: number) =>
  Array.from({ length: eventsPerHost }, (_, number) => {
    const start = from + number * 215 * minute + index * 7 * minute;
    const user = users[index]!;
    return {
      uri: uri(`scheduled_events/E${index}x${number}`),
      name: 'Meeting',
      status: 'active',
      start_time: new Date(start).toISOString(),
      end_time: new Date(start + 15 * minute).toISOString(),
      event_type: uri('event_types/OTHER'),
      event_memberships: [{ user: user.uri, user_name: user.name, user_email: user.email }],
    };
  });

/** A service with the hosts' events only, as fast as Node can serve them. */
const startService = async () => {
  const from = Date.now() + 60 * minute;
  const events = users.map((_, index) => eventsOf(index, from));
  const listed: Record<string, readonly object[]> = {
    event_type_memberships: users.map((member) => ({ uri: member.uri, event_type: eventType.uri, member })),
    event_type_availability_schedules: schedules,
  };
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    const { pathname, searchParams } = new URL(request.url!, 'http://127.0.0.1');
    const [, name = '', id] = pathname.split('/');
    const owner = users.findIndex((user) => user.uri === searchParams.get('user'));
    const all = name === 'scheduled_events' ? (events[owner] ?? events.flat()) : (listed[name] ?? []);
    const page = Number(searchParams.get('page_token') ?? 0);
    const me = { ...users[0], current_organization: uri('organizations/O') };
    const one = name === 'users' ? me : eventType;
    const next = (page + 1) * pageSize < all.length ? String(page + 1) : null;
    const rows = all.slice(page * pageSize, (page + 1) * pageSize);
    const body = id === undefined ? { collection: rows, pagination: { next_page_token: next } } : { resource: one };
    response.writeHead(200, { 'content-type': 'application/json', ...unlimitedHeaders }).end(JSON.stringify(body));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return { port, close: () => server.close(), requests: () => requests };
};

/** Free times over 30 days of an event type with many hosts, next to listing the same events. */
export const measure = async (): Promise<Figure[]> => {
  const service = await startService();
  const home = mkdtempSync(join(tmpdir(), 'sched-bench-'));
  const env = cleanEnvironment(home, {
    SCHED_BASE_URL: `http://127.0.0.1:${service.port}`,
    SCHED_TOKEN: 'token_of_the_bench',
  });
  const cpu = join(home, 'cpu.cjs');
  writeFileSync(cpu, cpuHook);
  const run = (...words: string[]) => spent(cpu, [sched, ...words], env);
  const slots = () => run('event-types', 'slots', 'T', '--until', '+30d', '--json');
  const list = () => run('events', 'list', '--org', 'current', '--json');
  try {
    const took = await interleave({ slots, list }, rounds);
    const countOf = async (work: () => Promise<unknown>) => {
      const before = service.requests();
      await work();
      return service.requests() - before;
    };
    const total = (hosts * eventsPerHost).toLocaleString('en-US');
    const asked = { slots: await countOf(slots), list: await countOf(list) };
    return [
      besideWithCpu(
        `slots: 30 days, ${hosts} hosts, ${total} events, beside listing them`,
        'ms',
        took.slots,
        took.list,
      ),
      {
        name: 'slots: requests for that, beside listing the events',
        unit: '',
        value: asked.slots,
        reference: asked.list,
        ratio: asked.slots / asked.list,
        target: {},
      },
    ];
  } finally {
    service.close();
    rmSync(home, { recursive: true, force: true });
  }
};
