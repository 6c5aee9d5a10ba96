import { type RedisConnection, RedisTrouble } from '../../src/state/redis/redis-client.ts';
import type { Process, Site } from './machine.ts';

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
