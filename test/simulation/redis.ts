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
