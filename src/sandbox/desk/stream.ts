import { EventEmitter, once } from 'node:events';
import type { World } from '../../runtime.ts';
import type { Html } from '../pages/html.ts';

/** How often changes are looked for, while someone watches. */
const pauseMilliseconds = 100;

/** A browser opens six connections to one server, so these are two browsers. */
const mostWatchers = 8;

/** The parts of the desk by the IDs of their elements, and all of them together. */
export interface DeskParts {
  whole: Html;
  parts: Readonly<Record<string, Html>>;
}

const message = (content: object): string => `data: ${JSON.stringify(content)}\n\n`;

/**
 * Streams of server-sent events with the parts of the desk that changed. Each begins with the whole desk, so one that
 * broke has missed nothing when it is opened again. `mark` is a text that changes if a part may have changed.
 */
export const createStreams = (every: World['every'], mark: () => string) => {
  const bell = new EventEmitter();
  let watchers = 0;
  let seen = '';
  let isClosed = false;
  const look = () => {
    try {
      const now = mark();
      if (now === seen) return;
      seen = now;
      bell.emit('change');
    } catch {
      // Another process has the data locked. The next look tries again.
    }
  };

  return {
    get isFull() {
      return watchers >= mostWatchers;
    },
    async *open(render: () => DeskParts): AsyncGenerator<string> {
      watchers += 1;
      const stopLooking = every(pauseMilliseconds, () => look());
      try {
        const sent = new Map<string, string>();
        for (let isFirst = true; !isClosed; isFirst = false) {
          const known = seen;
          const { whole, parts } = render();
          const fresh = Object.entries(parts).filter(([id, part]) => sent.get(id) !== String(part));
          for (const [id, part] of fresh) sent.set(id, String(part));
          const news = isFirst
            ? message({ html: String(whole) })
            : fresh.map(([id, part]) => message({ id, html: String(part) })).join('');
          // A comment, which only a browser that is gone doesn't take.
          yield news || ':\n\n';
          if (known === seen && !isClosed) await once(bell, 'change');
        }
      } finally {
        watchers -= 1;
        stopLooking();
      }
    },
    close() {
      isClosed = true;
      bell.emit('change');
    },
  };
};
