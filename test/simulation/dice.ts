import { seeded } from '../support/random.ts';

/** Decisions of one kind. */
export interface Dice {
  chance(share: number): boolean;
  below(count: number): number;
  pick<Item>(items: readonly Item[]): Item;
  bytes(count: number): Uint8Array;
}

/** FNV-1a. */
const hashOf = (text: string): number => {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
};

/** Each kind of decision has numbers of its own: if one kind is left out, the others stay as they were. */
export const diceFor = (seed: number, kind: string): Dice => {
  const next = seeded(hashOf(`${seed} ${kind}`));
  const below = (count: number) => Math.floor(next() * count);
  return {
    chance: (share) => share > 0 && next() < share,
    below,
    pick: (items) => items[below(items.length)]!,
    bytes: (count) => Uint8Array.from({ length: count }, () => below(256)),
  };
};
