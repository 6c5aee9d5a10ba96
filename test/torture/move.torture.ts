import { expect, test } from 'vitest';
import type { HttpRequest, Send } from '../../src/http/message.ts';
import { recordOfMove } from '../../src/jobs/move.ts';
import type { MovePlan } from '../../src/jobs/move-steps.ts';
import { lost } from '../cli/lost-answers.ts';
import { Killed, KillSwitch } from '../jobs/harness.ts';
import { createMoves, isWrite, type Moves, type Place, type Said } from '../jobs/moves.ts';

const worlds = 10;
const perWorld = 100;

const chance = (share: number): boolean => Math.random() < share;
const upTo = (most: number): number => Math.floor(Math.random() * most);

/** A network that loses replies before or after the request was carried out, or carries it out up to 149 s later. */
const createNetwork = ({ service, clock }: Moves) => {
  let late: { request: HttpRequest; at: number }[] = [];
  const deliver = async (): Promise<void> => {
    const due = late.filter(({ at }) => at <= clock.now());
    late = late.filter(({ at }) => at > clock.now());
    for (const { request } of due) await service(request);
  };
  const send: Send = async (request) => {
    await deliver();
    const dice = isWrite(request) ? Math.random() : 1;
    if (dice < 0.1) throw lost();
    if (dice < 0.2) {
      late.push({ request, at: clock.now() + upTo(149_000) });
      throw lost();
    }
    const reply = await service(request);
    if (dice < 0.3) throw lost();
    return dice < 0.35 ? { ...reply, status: 500, body: '' } : reply;
  };
  return { send, deliver };
};

/** The end of a move: what was said, what stands, and whether that is what R56 promises. */
const judge = ({ said, error }: Said, plan: MovePlan, starts: string[][]): { words: string; isRight: boolean } => {
  const words = `${said}${error === undefined ? '' : `: ${error.message.replace(/event \w+$/, 'event …')}`}`;
  const count = (wanted: string[]) => starts.filter((each) => `${each}` === `${wanted}`).length;
  const all = starts.length;
  const most = Math.max(...starts.map(({ length }) => length));
  const { from, to } = plan;
  if (said === 'moved' || said === 'already') return { words, isRight: count([to]) === all };
  if (/^The new time was refused|^That time isn't/.test(words.slice(10)))
    return { words, isRight: count([from]) === all };
  if (/Someone else canceled/.test(words)) {
    const told = /(\d) of \d people|(\d) (person|people) (is|are) booked/.exec(error!.facts.reason!);
    return { words, isRight: most <= 1 && count([to]) === Number(told?.[1] ?? told?.[2] ?? 0) };
  }
  if (/at the old time again/.test(words)) return { words, isRight: count([from]) + count([to]) === all };
  if (/both times/.test(words)) return { words, isRight: count([from, to]) === Number(/\d/.exec(error!.message)![0]) };
  if (/nobody is booked$/.test(words)) return { words, isRight: most === 0 };
  if (/^partial: Not moved/.test(words)) return { words, isRight: most === 1 };
  // Somebody took the time while the outcome was unknown: nobody can tell whose booking it is.
  if (said === 'outcome-unknown')
    return { words, isRight: most <= 1 && /maybe not by this attempt/.test(error!.facts.reason!) };
  return { words, isRight: false };
};

// R56
test(`${worlds * perWorld} moves under faults and kills, each rerun from another home`, async () => {
  const told: Record<string, number> = {};
  const wrong: unknown[] = [];
  let [kills, reruns] = [0, 0];
  for (let world = 0; world < worlds; world += 1) {
    const moves = await createMoves();
    const { send, deliver } = createNetwork(moves);
    for (let index = 0; index < perWorld; index += 1) {
      const order = chance(0.5) ? 'cancel-first' : 'book-first';
      // Without a shared record, only book-first can go on at home.
      const place: Place = order === 'book-first' && chance(0.4) ? 'files' : 'redis';
      const planned = await moves.planned(order, 1 + upTo(3));
      const isShared = place === 'redis';
      let plan: MovePlan = planned;
      const history: string[] = [];
      const one = async (killSwitch: KillSwitch, faulty: boolean): Promise<Said | undefined> => {
        const machine = await moves.machineAt(place);
        try {
          return await moves.move(machine, plan, { killSwitch, ...(faulty ? { send } : {}) });
        } catch (error) {
          if (!(error instanceof Killed)) throw error;
          kills += 1;
          return undefined;
        }
      };
      /** Someone else books a time, if it is free. */
      const take = async (start: string) => {
        const invitee = { email: `stranger.${index}@people.example`, name: 'Other', timezone: 'Europe/Berlin' };
        await moves.book(moves.solo, start, invitee).catch(() => {});
      };
      if (chance(0.15)) await take(plan.to);
      for (let tries = 1 + upTo(3); tries > 0; tries -= 1) {
        // Two processes at once, on two machines.
        const both = isShared && chance(0.15) ? 2 : 1;
        const runs = Array.from({ length: both }, () => one(new KillSwitch(chance(0.7) ? upTo(30) : undefined), true));
        for (const said of await Promise.all(runs)) history.push(said?.said ?? 'killed');
        reruns += both;
        if (chance(0.1)) await take(chance(0.5) ? plan.from : plan.to);
        if (isShared && chance(0.1)) await moves.cancel(plan.event).catch(() => {});
        if (isShared && chance(0.1)) plan = { ...plan, to: plan.to === planned.to ? planned.third : planned.to };
        if (chance(0.5)) await moves.wait();
        await deliver();
      }
      // From now on everything works. The record names the target.
      const record = await recordOfMove(moves.contextOn(await moves.machineAt(place)), plan.event);
      plan = { ...plan, to: record?.entry.to ?? plan.to };
      let last: Said | undefined;
      for (let tries = 0; tries < 8; tries += 1) {
        if (tries > 0) await moves.wait();
        await deliver();
        last = await one(new KillSwitch(), false);
        reruns += 1;
        history.push(last!.said);
        if (!['outcome-unknown', 'partial'].includes(last!.said)) break;
      }
      await moves.wait();
      await deliver();
      const starts = await moves.standing(plan, [planned.to, planned.third]);
      const { words, isRight } = judge(last!, plan, starts);
      told[words] = (told[words] ?? 0) + 1;
      if (!isRight) wrong.push({ place, plan, starts, history, words, reason: last!.error?.facts.reason });
    }
    moves.world.close();
  }
  process.stdout.write(`${JSON.stringify({ kills, reruns, told }, undefined, 2)}\n`);
  expect(wrong).toEqual([]);
}, 1_200_000);
