/**
 * One exchange with the service.
 * @typedef {{ method: string, url: string, reply: import('../../src/http/message.ts').HttpReply }} Exchange
 */

/**
 * Path and query of a request, without the page size. Times are days: some commands ask for a window that depends on the
 * second in which they run.
 * @param {string} url
 */
const questionOf = (url) => {
  const { pathname, searchParams } = new URL(url);
  searchParams.delete('count');
  return `${pathname}?${searchParams}`.replaceAll(/T\d\d%3A\d\d%3A\d\dZ/g, '');
};

/**
 * Replays the service's replies, changed. Repeated requests get their replies in order, then always the last one.
 * @param {readonly Exchange[]} exchanges
 * @param {(exchange: Exchange) => Exchange['reply']} change
 * @returns {import('../../src/http/message.ts').Send}
 */
export const replay = (exchanges, change = ({ reply }) => reply) => {
  /** @type {Map<string, number>} */
  const asked = new Map();
  return async ({ method, url }) => {
    const question = `${method} ${questionOf(url)}`;
    const fitting = exchanges.filter((each) => `${each.method} ${questionOf(each.url)}` === question);
    const turn = asked.get(question) ?? 0;
    asked.set(question, turn + 1);
    const exchange = fitting[Math.min(turn, fitting.length - 1)];
    return exchange === undefined ? { status: 404, headers: {}, body: '{}' } : change(exchange);
  };
};
