import type { Damage, Receipt } from './work-receipt.ts';

/*
 * The log of the writes that programs made: chained like a receipt, with a line before each call and one after it. It has
 * no personal data: of the arguments there is only a mark, made with the receipt key.
 */

export type CallLogLine =
  /** The first line, and one for each later start of the server. */
  | { type: 'log'; log: 1; at: string; version: string; key: string }
  | { type: 'opened'; at: string; version: string; key: string; repaired: number }
  | { type: 'call'; call: number; at: string; tool: string; arguments: string }
  /** `outcome`: done, asked (the answer comes with another call), or the code of an error with what it means for the service. */
  | { type: 'done'; call: number; at: string; confirmed: string; outcome: string; effect?: string };

/** What a log says, counted. */
interface Calls {
  total: number;
  done: number;
  /** Calls that only asked the person. */
  asked: number;
  failed: number;
  /** Calls without an end, and those that ended with an unknown outcome. */
  unknown: number;
}

export const isCallLog = ({ lines: [first] }: Receipt): boolean => first?.type === 'log';

/** Counts the calls of an intact chain. A forged chain has valid hashes, but its history may be inconsistent. */
export const replayCalls = ({ lines }: Receipt): ({ ok: true } & Calls) | ({ ok: false } & Damage) => {
  const calls: Calls = { total: 0, done: 0, asked: 0, failed: 0, unknown: 0 };
  const open = new Set<number>();
  if (lines.length === 0) return { ok: false, line: 1, problem: 'it is not the first line of a log' };
  for (const [index, value] of lines.entries()) {
    const line = value as unknown as CallLogLine;
    const wrong = (problem: string) => ({ ok: false as const, line: index + 1, problem });
    if ((line.type === 'log') !== (index === 0) || (line.type === 'log' && line.log !== 1))
      return wrong('it is not the first line of a log');
    if (line.type === 'call') {
      calls.total += 1;
      if (line.call !== calls.total) return wrong('its number does not follow the call above');
      open.add(line.call);
    } else if (line.type === 'done') {
      if (!open.delete(line.call)) return wrong('it ends a call that is not open');
      if (line.outcome === 'done') calls.done += 1;
      else if (line.outcome === 'asked') calls.asked += 1;
      else if (line.effect === 'unknown') calls.unknown += 1;
      else calls.failed += 1;
    } else if (line.type !== 'log' && line.type !== 'opened') return wrong('its type is unknown');
  }
  return { ok: true, ...calls, unknown: calls.unknown + open.size };
};
