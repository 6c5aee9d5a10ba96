import { hasCategory } from '../../base/errors.ts';
import { minute } from '../../base/milliseconds.ts';
import { once } from '../../base/once.ts';
import type { Shell } from '../../cli/session/context.ts';
import { asciiForm, needsAscii } from '../../output/ascii.ts';
import { createPaint, placeText } from '../../output/paint.ts';
import { safe } from '../../output/sanitize.ts';
import { shorten } from '../../output/width.ts';
import { type Agenda, clockOf } from './meetings.ts';
import { drawAgenda } from './screen.ts';

// ECMA-48 §8.3: to the top left, erase to the end of the line or screen. DEC private mode 25: the cursor.
const [home, clearLine, clearRest, hideCursor, showCursor] = ['\x1b[H', '\x1b[K', '\x1b[J', '\x1b[?25l', '\x1b[?25h'];

const defaultRows = 24;

/** The lines above the hours: title, total, blank, days. */
const headLines = 4;

/** As many lines as fit, with the present among them. */
const croppedTo = (room: number, lines: readonly string[]): readonly string[] => {
  const space = room - headLines;
  if (lines.length <= room || space < 1) return lines.slice(0, room);
  const now = lines.findIndex((line) => line.includes('▶'));
  const start = Math.max(headLines, Math.min(now - Math.floor(space / 3), lines.length - space));
  return [...lines.slice(0, headLines), ...lines.slice(start, start + space)];
};

/** The picture in place of the last one. Erasing line by line doesn't flicker. */
const frameOf = (
  { runtime, settings }: Shell,
  from: string | undefined,
  agenda: Agenda,
  readAt: number,
  problem: string | undefined,
): string => {
  const { stdout, env } = runtime;
  const available = stdout.columns || 80;
  const paint = createPaint(settings.color);
  const place = () => placeText(from, paint);
  const lines = drawAgenda(agenda, { paint, available, place }).trimEnd().split('\n');
  const room = Math.max(1, (stdout.rows || defaultRows) - 2);
  const at = clockOf(agenda, readAt);
  const state = problem === undefined ? `Updated ${at}` : `Not updated since ${at}: ${safe(problem)}`;
  const hint = lines.length > room ? ['More on a taller terminal'] : [];
  const texts = [state, ...hint, 'Ctrl-C stops'];
  const last = shorten(texts.join(' · '), available);
  const rows = [...croppedTo(room, lines), problem === undefined ? paint.faint(last) : paint.warning(last)];
  const frame = `${home}${rows.map((line) => `${line}${clearLine}\n`).join('')}${clearRest}`;
  return needsAscii(env) ? asciiForm(frame) : frame;
};

/**
 * Reads and draws an agenda every minute until the command is interrupted. If the service can't be reached, the last
 * picture stays and says so.
 */
export const watchAgenda = async (context: Shell, read: () => Promise<Agenda>): Promise<void> => {
  const { stdout, clock, interrupted } = context.runtime;
  const from = once(() => context.notes.takePlace());
  let current: { agenda: Agenda; readAt: number } | undefined;
  stdout.unblock?.(interrupted);
  await stdout.write(hideCursor);
  try {
    for (;;) {
      let problem: string | undefined;
      try {
        current = { agenda: await read(), readAt: context.now() };
      } catch (error) {
        if (current === undefined || interrupted.aborted || !hasCategory(error, 'unavailable', 'rate-limited'))
          throw error;
        problem = error.message;
      }
      const agenda = { ...current.agenda, now: context.now() };
      await stdout.write(frameOf(context, from(), agenda, current.readAt, problem));
      await clock.sleep(minute - (context.now() % minute), interrupted);
    }
  } catch (error) {
    if (!interrupted.aborted) throw error;
  } finally {
    await stdout.write(showCursor);
  }
};
