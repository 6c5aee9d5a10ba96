import { availability } from '../../../src/api/availability.ts';
import { eventTypes } from '../../../src/api/event-types.ts';
import { users } from '../../../src/api/users.ts';
import { webhooks } from '../../../src/api/webhooks.ts';
import { SchedError } from '../../../src/base/errors.ts';
import type { Json } from '../../../src/base/json.ts';
import { type Client, createClient } from '../../../src/client/client.ts';
import { gather } from '../../../src/client/paginate.ts';
import { withContent } from '../../../src/client/read-reply.ts';
import { type ApplyContext, type ApplyResult, applyConfig } from '../../../src/commands/config/work-apply.ts';
import { acceptsConfirmed } from '../../../src/commands/config/work-confirmed-plan.ts';
import { creations } from '../../../src/commands/config/work-creation-record.ts';
import { diffConfig } from '../../../src/commands/config/work-diff.ts';
import { planDigest } from '../../../src/commands/config/work-digest.ts';
import type { ConfigFile } from '../../../src/commands/config/work-file-schema.ts';
import type { Plan, Reach, ReadConfig } from '../../../src/commands/config/work-model.ts';
import { readConfig } from '../../../src/commands/config/work-read-file.ts';
import { reach, readWorld, type WorldSource } from '../../../src/commands/config/work-read-service.ts';
import { writeConfig } from '../../../src/commands/config/write-file.ts';
import { callBeforeSend, type HttpRequest, type Send } from '../../../src/http/message.ts';
import { serviceClock } from '../../../src/http/service-time.ts';
import { changeLockName, changeLockOptions } from '../../../src/state/change-lock.ts';
import { accountLock, lockIn } from '../../../src/state/lock.ts';
import { machineIn } from '../../auth/support/memory.ts';
import { filesWith } from '../../support/files-world.ts';
import { createWorld } from '../../support/run.ts';
import { Killed, KillSwitch } from '../harness.ts';
import { emptyRedis, type Machine, machineWith, mortal, type Place } from '../move/moves.ts';

export interface ApplyOptions {
  killSwitch?: KillSwitch;
  /** Replaces the network. */
  send?: Send;
  /** The digest that was typed. */
  confirm?: string;
  onStep?(step: string): void;
  /** Gets the requests that change something. */
  writes?: string[];
  /** Happens between the plan and its application. */
  meanwhile?(plan: Plan): Promise<unknown>;
}

/** What a process did, or the category of its error. */
export interface Said {
  said: 'done' | 'partial' | SchedError['category'];
  plan?: Plan;
  applied?: ApplyResult;
  error?: SchedError;
}

const nameOf = ({ method, url }: HttpRequest): string => `${method} ${new URL(url).pathname.split('/')[1]}`;

let lastPid = 1000;

/** A sandbox whose configuration is read and changed. */
export const createConfigs = async () => {
  const world = await createWorld();
  await emptyRedis();
  const { clock } = world;
  const time = serviceClock(clock);
  const authorized: Send = (request) =>
    world.service({ ...request, headers: { ...request.headers, authorization: `Bearer ${world.token}` } });
  const clientOver = (send: Send): Client => {
    const whole = withContent(callBeforeSend(time.layer(send)));
    return createClient({ baseUrl: 'http://127.0.0.1:4010', send: whole, sendPlain: whole });
  };
  const client = clientOver(authorized);
  const me = await client.call(users.me, {});
  const organization = String(me.current_organization);
  const running = new Set<number>();
  const interrupted = new AbortController().signal;

  const sourceOver = (send: Send): WorldSource => ({
    client: clientOver(send),
    origin: 'http://127.0.0.1:4010',
    identity: {
      user: async () => String(me.uri),
      organization: async () => organization,
      mayBeOther: async (uri) => uri !== me.uri,
    },
    now: time.now,
  });

  const contextOn = (machine: Machine, options: ApplyOptions = {}): ApplyContext => {
    const { killSwitch = new KillSwitch(), send = authorized, onStep = () => {}, writes = [] } = options;
    lastPid += 1;
    const pid = lastPid;
    const step = (work: string) => {
      onStep(work);
      killSwitch.next();
    };
    const mortalSend: Send = async (request) => {
      if (request.method === 'GET') return send(request);
      step(`before ${nameOf(request)}`);
      writes.push(nameOf(request));
      const reply = await send(request);
      step(`after ${nameOf(request)}`);
      return reply;
    };
    const randomBytes = (size: number) => new Uint8Array(size).fill(pid % 256);
    const process = {
      ...machineIn(machine.directory!),
      platform: 'win32',
      host: machine.host,
      pid,
      isAlive: (id: number) => running.has(id),
    };
    const world = { platform: 'linux', machine: process as never, clock, randomBytes, interrupted };
    const lockName = changeLockName('http://127.0.0.1:4010', organization);
    const lockOptions = { ...changeLockOptions, waitMs: 0 };
    const owners = machine.ownersOf?.(lockName);
    return {
      ...sourceOver(mortalSend),
      clock,
      serviceTime: time.told,
      creations: mortal(machine.ledgerOf(creations), step),
      change: { clock, interrupted, random: () => 0.5, maxWaitMs: 60_000, onWait: () => {}, onRepeat: () => {} },
      interrupted,
      lock: {
        locks: [
          accountLock(lockName, world, lockOptions),
          ...(owners === undefined ? [] : [lockIn(owners, { name: lockName, ...world, ...lockOptions })]),
        ],
        onUnlocked: () => {},
      },
      plans: {
        directory: machine.directory,
        world: filesWith({
          randomBytes: (size) => {
            step('before the plan is kept');
            return randomBytes(size);
          },
        }),
      },
      timeoutMs: 30_000,
      pid,
      signingKey: async ({ signing_key_env }) => signing_key_env && `the key ${signing_key_env}`,
    };
  };

  const readFile = (config: ConfigFile | string): ReadConfig => {
    const read = readConfig(typeof config === 'string' ? config : JSON.stringify(config), 'team.yaml');
    if (!read.ok) throw new Error(read.problems.map(({ message }) => message).join('\n'));
    return read.file;
  };

  const planOf = async (config: ConfigFile | string, source: WorldSource = sourceOver(authorized)): Promise<Plan> => {
    const read = readFile(config);
    const diffed = diffConfig(read, await readWorld(source, reach(read.config)));
    if (diffed.ok) return diffed.plan;
    throw new SchedError('usage', diffed.problems.map(({ place, message }) => `${place} ${message}`).join('\n'));
  };

  /** What `applyConfig` needs beside its context. */
  const planned = async (config: ConfigFile): Promise<[ReadConfig, Reach, Plan]> => {
    const read = readFile(config);
    return [read, reach(read.config), await planOf(config)];
  };

  /** Runs a process to its end, or until it is killed: plan, consent, application. */
  const apply = async (machine: Machine, config: ConfigFile | string, options: ApplyOptions = {}): Promise<Said> => {
    const context = contextOn(machine, options);
    const { confirm } = options;
    running.add(context.pid);
    try {
      const plan = await planOf(config, context);
      if (confirm !== undefined && !(await acceptsConfirmed(context, plan, confirm)))
        throw new SchedError('conflict', 'Not the plan that was confirmed');
      await options.meanwhile?.(plan);
      const read = readFile(config);
      const applied = await applyConfig(context, read, reach(read.config), plan, confirm);
      const isDone = applied.outcomes.every(({ state }) => ['applied', 'already'].includes(state));
      return { said: applied.stopReason?.category ?? (isDone ? 'done' : 'partial'), plan, applied };
    } catch (error) {
      if (!(error instanceof SchedError)) throw error;
      return { said: error.category, error };
    } finally {
      running.delete(context.pid);
    }
  };

  /** The own configuration as a file. */
  const exported = async (): Promise<ConfigFile> => {
    const all = [{ key: 'me', types: true, hours: 'all' as const, webhooks: true }];
    const found = await readWorld(sourceOver(authorized), { users: all, organization: false, groups: [] });
    return readFile(writeConfig(found, { dates: true, uris: false }).text).config;
  };

  /** Kills a process at the step of this name. */
  const killAt = async (machine: Machine, config: ConfigFile, name: string, options: ApplyOptions): Promise<void> => {
    const killSwitch = new KillSwitch();
    const onStep = (step: string) => {
      if (step === name) killSwitch.isKilled = true;
    };
    await apply(machine, config, { ...options, killSwitch, onStep }).then(
      () => Promise.reject(new Error(`never reached: ${name}`)),
      (error: unknown) => {
        if (!(error instanceof Killed)) throw error;
      },
    );
  };

  /** Runs the same command until its outcome is known. */
  const finish = async (machine: Machine, config: ConfigFile, options: ApplyOptions = {}): Promise<Said> => {
    for (let tries = 0; ; tries += 1) {
      const said = await apply(machine, config, options);
      if (said.said !== 'outcome-unknown' || tries === 4) return said;
      await clock.sleep(151_000);
    }
  };

  /** What the service has: types with their schedules, and webhooks. */
  const everything = async (): Promise<{ types: { record: Json; schedules: Json[] }[]; webhooks: Json[] }> => {
    const listed = await gather(client.pages(eventTypes.list, { query: { user: String(me.uri) } }));
    const types = listed.map(async (record) => {
      const query = { event_type: String(record.uri) };
      return { record, schedules: await gather(client.pages(availability.list, { query })) };
    });
    const query = { organization, scope: 'user', user: String(me.uri) };
    return { types: await Promise.all(types), webhooks: await gather(client.pages(webhooks.list, { query })) };
  };

  return {
    world,
    clock,
    client,
    me,
    organization,
    service: authorized,
    sourceOver,
    contextOn,
    planOf,
    planned,
    digest: async (config: ConfigFile) => planDigest(await planOf(config)),
    apply,
    killAt,
    finish,
    exported,
    everything,
    machineAt: (place: Place = 'files') => machineWith(place, clock),
  };
};

export type Configs = Awaited<ReturnType<typeof createConfigs>>;
