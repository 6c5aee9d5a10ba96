import { type RedisConnection, RedisTrouble } from '../../src/state/redis/redis-client.ts';
import type { Process, Site } from './machine.ts';

/**
 * As much of Redis as `sched` uses to share its state: its two scripts (src/state/redis/record.ts), and ranges of sorted
 * sets. Nothing expires, because no simulation lasts as long as a record is kept.
 */
export const createRedis = () => {
  const texts = new Map<string, string>();
  const sets = new Map<string, Map<string, number>>();

  const setAt = (key: string): Map<string, number> => {
    const set = sets.get(key) ?? new Map<string, number>();
    sets.set(key, set);
    return set;
  };

  const limitOf = (text: string): number => Number(text.replace('(', '').replace('inf', 'Infinity'));

  return {
    run(script: string, keys: readonly string[], args: readonly string[], now: number): unknown {
      const [key, ...indexes] = keys;
      const found = texts.get(key!) ?? '';
      if (!script.includes("'SET'")) return [now, found];
      const [old, text, , member, lowest, ...scores] = args;
      if (found !== old) return [now, found, 'outrun'];
      texts.set(key!, text!);
      for (const [place, index] of indexes.entries()) {
        const set = setAt(index);
        if (scores[place] === '') set.delete(member!);
        else set.set(member!, Number(scores[place]));
        for (const [each, score] of set) if (score < Number(lowest)) set.delete(each);
      }
      return [now, found, 'written'];
    },

    command(name: string, key: string, since: string, until: string): unknown {
      if (name !== 'ZRANGEBYSCORE') throw new Error(`The simulated Redis has no ${name}`);
      const isIn = (score: number) =>
        score >= limitOf(since) && (until.startsWith('(') ? score < limitOf(until) : score <= limitOf(until));
      return [...(sets.get(key) ?? [])]
        .filter(([, score]) => isIn(score))
        .sort(([a, one], [b, other]) => one - other || (a < b ? -1 : 1))
        .map(([member]) => member);
    },

    /** All texts, for checks. */
    texts: () => [...texts],
  };
};

export type Redis = ReturnType<typeof createRedis>;

const place = '127.0.0.1:6379';

/** The way of a process to the simulated Redis. A reply can be lost before its change or after it. */
export const connectionTo = (site: Site, process: Process): RedisConnection => {
  const { scheduler, dice } = site;
  const ask = <Value>(name: string, work: () => Value): Promise<Value> =>
    new Promise((resolve, reject) => {
      if (process.isOver) return;
      const back = (label: string, settle: () => void) =>
        scheduler.add({
          label: `${process.pid} Redis ${name} ${label}`,
          owner: process,
          happen: settle,
        });
      const lose = () => {
        process.saw.disk += 1;
        process.saw.redis += 1;
        process.saw.network += 1;
        back('is lost', () => reject(new RedisTrouble(`${place}: no reply within 2 s`)));
      };
      scheduler.add({
        label: `${process.pid} Redis ${name} leaves`,
        happen: () => {
          if (dice.redis.chance(site.faults.redis)) return lose();
          const value = work();
          if (dice.redis.chance(site.faults.redis)) return lose();
          back('is replied to', () => resolve(value));
        },
      });
    });
  return {
    place,
    run: (script, keys, args) => ask('script', () => site.redis!.run(script, keys, args, scheduler.time)),
    command: (...words) => ask(words[0]!, () => site.redis!.command(...(words as [string, string, string, string]))),
    close: () => {},
  };
};
