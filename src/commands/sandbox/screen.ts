import { oauthPaths } from '../../api/oauth-paths.ts';
import { counted, formatNumber } from '../../base/numbers.ts';
import { decodeUri } from '../../base/uri.ts';
import { type Happening, hasLastLine, liveLine, timeOfDay } from '../../cli/messages/live.ts';
import type { Shell } from '../../cli/session/context.ts';
import type { HttpRequest } from '../../http/message.ts';
import { cutLong, humanText } from '../../output/cells.ts';
import type { SandboxWatch } from '../../sandbox/run.ts';
import { notThisMachine } from '../../sandbox/webhooks/post.ts';
import type { ServingFacts } from './serving.ts';

const columns = { what: 7, result: 12 };
/** More than a line can show. */
const longestText = 300;

/** Path and query of a request. A login has codes in its query, so that is left out. */
const requestPath = ({ url }: HttpRequest): string => {
  if (!URL.canParse(url)) return '–';
  const { pathname, search, origin } = new URL(url);
  const isLogin = (Object.values(oauthPaths) as string[]).includes(pathname);
  const path = cutLong(isLogin ? pathname : `${pathname}${search}`, longestText);
  return humanText((decodeUri(path) ?? path).replaceAll(origin, ''));
};

/** How to get at a running sandbox from elsewhere: the desk in a browser, and lines for another shell. */
interface OtherWays {
  desk: string | undefined;
  use: readonly string[];
}

/** The event of a delivery, which the sandbox itself has written. */
const deliveredEvent = (body: string): string => String(JSON.parse(body).event);

const replyText = (status: number | string, milliseconds: number): string =>
  `${status}${`${milliseconds} ms`.padStart(9)}`;

/** Shows on a terminal what a running sandbox does: a line for each request and each delivery of a webhook. */
export const openScreen = ({ runtime, settings, notes, printer }: Shell) => {
  const { clock, stdout, interrupted } = runtime;
  const counts = { requests: 0, delivered: 0, failed: 0, skipped: 0 };
  /** Why nothing reached a URL at the last attempt. */
  const failingUrls = new Map<string, string | undefined>();
  let lastAt: number | undefined;
  let begin = () => {};
  // Deliveries of an earlier run may be sent before there is a heading.
  let headingWritten = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const show = (what: string, subject: string, result: string, isGood: boolean): void => {
    lastAt = clock.now();
    const happening: Happening = { time: timeOfDay(lastAt, settings.zone), what, subject, result };
    const line = liveLine(happening, runtime, columns, settings.accessible);
    const print = () => printer.text(line, (text, paint) => (isGood ? text : paint.warning(text)));
    // A terminal that is gone must not stop the sandbox. A signal does that.
    headingWritten = headingWritten.then(print).catch(() => {});
  };
  const watch: SandboxWatch = {
    onRequest(request, { status, reset }, milliseconds) {
      counts.requests += 1;
      const outcome = reset === undefined ? status : 'reset';
      show(
        humanText(request.method),
        requestPath(request),
        replyText(outcome, milliseconds),
        reset === undefined && status < 400,
      );
    },
    onDelivery({ url, body }, { status, error }, milliseconds) {
      const isAccepted = status !== undefined && status < 300;
      const isSkipped = error === notThisMachine;
      counts[isAccepted ? 'delivered' : isSkipped ? 'skipped' : 'failed'] += 1;
      // The first of many lines says it. The others would scroll the heading away.
      const isKnown = error !== undefined && failingUrls.get(url) === error;
      failingUrls.set(url, error);
      if (isKnown) return;
      const event = deliveredEvent(body);
      if (isSkipped) return show('hook', `${event}, skipped: not on this computer`, '', true);
      const subject = humanText(cutLong(`${event} → ${url}`, longestText));
      show('hook', subject, status === undefined ? error : replyText(status, milliseconds), isAccepted);
    },
  };
  const alive = (url: string) => () => ({
    name: 'Sandbox',
    at: `on ${url}`,
    facts: [
      counted(counts.requests, 'request'),
      ...(['delivered', 'failed', 'skipped'] as const).flatMap((word) =>
        counts[word] === 0 ? [] : [`${formatNumber(counts[word])} ${word}`],
      ),
      ...(lastAt === undefined ? [] : [`last ${timeOfDay(lastAt, settings.zone)}`]),
    ],
  });
  return {
    watch,
    /** Prints the heading. Returns a function that ends the last line. */
    async open({ base_url, plan, data }: ServingFacts, { desk, use }: OtherWays): Promise<() => void> {
      stdout.unblock?.(interrupted);
      const file = data === ':memory:' ? 'data in memory' : (data.split(/[\\/]/).at(-1) ?? data);
      await printer.text(`Sandbox on ${base_url} · ${plan} · ${file}`, (line, paint) => paint.heading(line));
      if (desk !== undefined) notes.info(`Desk (works once)  ${desk}`);
      for (const [index, line] of use.entries())
        notes.info(`${index === 0 ? 'Other terminal     ' : ' '.repeat(19)}${line}`);
      if (!hasLastLine(runtime)) notes.info('Press Ctrl-C to stop it');
      await notes.flush();
      begin();
      return notes.alive(alive(base_url));
    },
  };
};
