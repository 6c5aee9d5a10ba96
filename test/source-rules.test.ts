import { describe, expect, test } from 'vitest';
import { nouns } from '../src/commands/registry.ts';
import { filesBelow, parse, type Sources } from './support/source-files.ts';

type Rule = (sources: Sources) => string[];

/** Code that only some files may have. */
interface Reserved {
  what: string;
  pattern: RegExp;
  /** Files and folders. */
  in: readonly string[];
  /** Other files may have it, too. Default: none. */
  among?: RegExp;
  /** Quoted text counts as well. */
  isQuoted?: true;
}

const staysIn =
  (reserved: readonly Reserved[]): Rule =>
  (sources) =>
    Object.entries(sources).flatMap(([path, text]) =>
      reserved
        .filter((each) => (each.among?.test(path) ?? true) && !each.in.some((place) => path.startsWith(place)))
        .flatMap(({ what, pattern, isQuoted }) => {
          const [found] = pattern.exec(isQuoted ? parse(text).withoutComments : parse(text).code) ?? [];
          return found === undefined ? [] : [`${path} has ${what}: ${found.trim()}`];
        }),
    );

const world: Reserved[] = [
  /(?<![.\w$])process(?=\s*[.[]|\s*;|\s*\))/,
  /(?<![.\w$])console\s*\./,
  /(?<![.\w$])set(?:Timeout|Interval|Immediate)\b/,
  /(?<![\w$])Date\s*\.\s*now\b/,
  /(?<![\w$])new\s+Date\s*(?:\(\s*\)|(?!\s*\())/,
  /(?<![\w$])Math\s*\.\s*random\b/,
  /(?<![.\w$])performance\s*\./,
].map((pattern) => ({ what: 'the outside world', pattern, in: ['node/'] }));

/** What goes by this machine's clock, and why. What is next, upcoming or today goes by the service's clock. */
const machineClock: Reserved = {
  what: "this machine's clock",
  pattern: /(?<!sandbox\.)\bclock\.now\b/,
  among: /^cli\/|^commands\/(?!\w+\/work)/,
  in: [
    // How long something takes or is kept on this machine.
    ...['cli/complete/names.ts', 'cli/session/identity.ts', 'commands/bulk/'],
    ...['filter-support', 'with-invitees'].map((name) => `commands/events/${name}.ts`),
    ...[
      'commands/follow/run.ts',
      'commands/follow/source.ts',
      'commands/mcp/http-sessions.ts',
      'commands/sandbox/screen.ts',
    ],
    ...['keep-listening', 'listen', 'recent-deliveries-file'].map((name) => `commands/webhooks/${name}.ts`),
    // The rate budget, whose windows this machine notes.
    ...['cli/session/booking-limits.ts', 'cli/session/network.ts', 'commands/ratelimit.ts'],
    // Tokens, receipts and ledgers, whose times are of this machine.
    ...['commands/auth/', 'commands/doctor/', 'commands/move/move-many.ts', 'commands/compliance/export.ts'],
    ...['commands/compliance/receipts.ts', 'commands/mcp/call-log.ts', 'commands/webhooks/run-backfill.ts'],
    // What another run has noted, told beside the time it is here.
    ...['commands/booking/booking-context.ts', 'commands/move/move-one.ts'],
    // Deliveries, which the sandbox signs by this clock, and a sandbox that has no clock yet.
    ...['commands/webhooks/verify.ts', 'commands/sandbox/input.ts'],
    // Both clocks, compared or the earlier one of them.
    ...['cli/operation/write-result.ts', 'cli/session/context.ts'],
    ...['commands/webhooks/create.ts', 'commands/mirror/sync.ts', 'commands/compliance/bundle.ts'],
  ],
};

/** Commands get values. Words of a command line are read in the parser and in inputs. */
const wordsOfALine: Reserved = {
  what: 'words of a command line',
  pattern: /\btyped(?=\s*[:,)=}?[]|\.\w)|\bTyped\w*/,
  in: ['cli/parse/', 'cli/input/'],
};

/** A value of the same call is a name in the sentence: a tool and a line of a file call it differently. */
const flagsInText: Reserved = {
  what: 'a flag as text',
  pattern:
    /(?:\b(?:advice|reason): |\bnotes\.(?:info|warn|always)\(|\bSchedError\('[\w-]+', )\s*(['"`])(?:(?!\1)[^\n])*?(?<![\w-])--[a-z]/,
  isQuoted: true,
  // The first has no sentences. The others name flags of other commands.
  in: [
    'cli/parse/synonyms.ts',
    'commands/doctor/baseline.ts',
    'commands/mirror/export.ts',
    'commands/profiles/command.ts',
    'commands/sandbox/',
  ],
};

/** Facts that are easily duplicated, each with its only file. */
const facts: Reserved[] = [
  { what: 'the ID in a URI', pattern: /\.split\('\/'\)\.(at\(-1\)|pop\(\))/, in: ['base/uri.ts'] },
  { what: 'the length of an hour or a day', pattern: /\b(?:3_?600_?000|86_?400_?000)\b/, in: ['base/milliseconds.ts'] },
  { what: 'how a shell quotes a word', pattern: /'\\\\''/, in: ['base/shell-quote.ts'] },
  { what: 'the header of a token', pattern: /`Bearer \$\{token\}`/, in: ['http/authorize.ts'] },
  { what: 'the edges of a window', pattern: /['"`/^(]min_|['"`]max_/, in: ['api/window.ts'] },
  { what: 'how a file is written whole', pattern: /\bO_EXCL\b/, in: ['state/whole-file.ts'] },
].map((fact) => ({ ...fact, isQuoted: true }));

/** What the content security policy forbids, and attribute values that text could break out of. */
const unsafeMarkup = /\bstyle="|\son[a-z]+="|=\$\{|<script[^>]*>[^<]/;

const pagesAreSafe: Rule = (sources) =>
  Object.entries(sources).flatMap(([path, text]) =>
    /^sandbox\/(pages|desk)\//.test(path)
      ? [...text.matchAll(/html`[^`]*`/g)]
          .filter(([made]) => unsafeMarkup.test(made))
          .map(([made]) => `${path}: ${made}`)
      : [],
  );

/** Ways to make a command line without an account, and the files that may use them. */
const withoutAccount: Reserved[] = Object.entries({
  'as CommandLine': ['cli/messages/suggested-line.ts'],
  helpLine: ['cli/invoke.ts', 'cli/parse/', 'cli/messages/suggested-line.ts'],
  noAccount: [
    ...['error-report', 'suggested-line', 'hide-addresses'].map((name) => `cli/messages/${name}.ts`),
    ...['cli/session/connection.ts', 'commands/mcp/run-tool.ts', 'commands/doctor/machine-checks.ts'],
  ],
}).map(([way, files]) => ({ what: 'a line without an account', pattern: new RegExp(`\\b${way}\\b`), in: files }));

/** A command of sched, as people would paste it. A sentence about sched goes on with another word. */
const pasteable = new RegExp(
  `(?<![\\w/.-])sched (?:--?[a-z]|\\$\\{|(?:${[...Object.keys(nouns), 'help'].join('|')})(?![\\w-]))`,
);

/** Files that contain commands, with the reason. Help texts of commands may contain them too. */
const mayNameCommands: Record<string, string> = {
  'cli/help/': 'help pages and topics: nothing runs, so there is no account',
  'commands/completion.ts': 'lines for the start file of a shell, which need no account',
  'sandbox/pages/': 'pages for a browser: only its user knows how the shell reaches this sandbox',
  'sandbox/desk/': 'a page for a browser, for the same reason',
  'commands/bulk/open-run.ts': 'the version of sched',
  'commands/bulk/progress.ts': 'a heading',
};
const helpTexts = ['examples', 'notes', 'description', 'summary'];

/** What is needed of a node of the syntax tree. */
interface SyntaxNode {
  type?: string;
  key?: { name?: string };
  id?: { name?: string };
  value?: unknown;
  quasis?: { value: { raw: string } }[];
}

/** The texts in the code, except for help texts. */
const textsIn = (node: unknown): string[] => {
  if (Array.isArray(node)) return node.flatMap(textsIn);
  if (typeof node !== 'object' || node === null) return [];
  const { type, key, id, value, quasis } = node as SyntaxNode;
  const name = type === 'Property' ? key?.name : type === 'VariableDeclarator' ? id?.name : undefined;
  if (helpTexts.includes(name ?? '')) return [];
  return [
    ...(type === 'Literal' && typeof value === 'string' ? [value] : []),
    ...(quasis === undefined ? [] : [quasis.map((part) => part.value.raw).join('${')]),
    ...Object.values(node).flatMap(textsIn),
  ];
};

const linesAreMadeOnce: Rule = (sources) => [
  ...staysIn(withoutAccount)(sources),
  ...Object.entries(sources)
    .filter(([path]) => !Object.keys(mayNameCommands).some((each) => path.startsWith(each)))
    .filter(([, text]) => pasteable.test(parse(text).withoutComments))
    .flatMap(([path, text]) =>
      textsIn(parse(text).program)
        .filter((each) => pasteable.test(each))
        .map((each) => `${path} has a command that names no account: ${each}`),
    ),
];

const rules: Record<string, Rule> = {
  'process, console, timers, the clock and random values are only in node/': staysIn(world),
  "in cli/ and rooms, only listed files go by this machine's clock instead of the service's": staysIn([machineClock]),
  'commands get values, not words of a command line': staysIn([wordsOfALine]),
  'errors and notes name flags as data': staysIn([flagsInText]),
  'each small fact has one owner': staysIn(facts),
  'command lines for pasting are made in cli/messages/suggested-line.ts': linesAreMadeOnce,
  'pages have quoted attributes, and no inline style or script': pagesAreSafe,
};

const src = filesBelow(new URL('../src/', import.meta.url).pathname, '.ts');

describe('rules for the text of src/', () => {
  // The first one reads all files, which takes long on a busy machine.
  test.each(Object.entries(rules))('holds: %s', { timeout: 120_000 }, (_, rule) => {
    expect(rule(src)).toEqual([]);
  });

  test("name no file of this machine's clock that doesn't use it", () => {
    const idle = machineClock.in.filter(
      (place) => !Object.entries(src).some(([path, text]) => path.startsWith(place) && machineClock.pattern.test(text)),
    );
    expect(idle).toEqual([]);
  });
});

describe('rules for the text of src/: an example with a violation breaks', () => {
  const [ofWorld, ofClock, ofWords, ofFlags, ofFacts, ofLines, ofPages] = Object.keys(rules) as [
    string,
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  const examples: [string, Sources, number][] = [
    [ofWorld, { 'cli/a.ts': 'process.exit(1); console.log(process.env);' }, 2],
    [ofWorld, { 'a.ts': 'setTimeout(f, 1)', 'b.ts': 'new Promise(setImmediate)', 'c.ts': 'setInterval(f, 1)' }, 3],
    [ofWorld, { 'a.ts': 'Date.now()', 'b.ts': 'new Date( )', 'c.ts': 'new Date;', 'd.ts': 'Math.random()' }, 4],
    [
      ofClock,
      {
        'cli/a.ts': 'context.runtime.clock.now()',
        'commands/agenda/a.ts': 'const now = clock.now',
        'commands/agenda/work-a.ts': 'clock.now()',
        'commands/auth/a.ts': 'clock.now()',
        'commands/mirror/a.ts': 'say(`$' + '{a} b`); const at = clock.now(); say(`$' + '{at} c`);',
      },
      3,
    ],
    [ofClock, { 'cli/a.ts': 'say(`the clock.now of $' + '{a}, not clock.now`);' }, 0],
    [
      ofWords,
      { 'commands/a.ts': 'export const a = (typed: { b: string }) => typed.b;', 'cli/parse/a.ts': 'let typed;' },
      1,
    ],
    [ofWords, { 'commands/a.ts': 'let x: TypedWords;', 'commands/b.ts': 'say(`nothing of $' + '{x} was typed.`);' }, 1],
    [
      ofFlags,
      {
        'state/a.ts': "new SchedError('usage', 'No time', { advice: 'add --since TIME' });",
        'commands/a.ts': 'notes.info(`Use --org`); fail({ reason: "$' + '{a}--b" });',
        'cli/a.ts': "throw new SchedError('usage', '--mirror only reads');",
        'cli/b.ts': 'fail({ advice: words`add $' + "{the('since')} TIME` });",
      },
      3,
    ],
    [ofFacts, { 'cli/a.ts': "uri.split('/').at(-1)!", 'state/a.ts': "uri.split('/').pop()" }, 2],
    ...facts.slice(2).map(({ in: [owner] }): [string, Sources, number] => [ofFacts, { 'cli/a.ts': src[owner!]! }, 1]),
    [
      ofLines,
      {
        'state/a.ts': "fail({ advice: 'look at it: sched events list' });",
        'commands/a.ts':
          'say(`Undo: sched events cancel $' + '{id}`); say(`sched $' + '{words}`); say("run sched -p work whoami");',
        'commands/b.ts': "const line = text as CommandLine; say(helpLine('events')); adviceText(x, noAccount);",
        'commands/c.ts':
          "export const c = { examples: ['$(sched events list)'], notes: ['As sched events list does.'] };",
        'commands/d.ts': "say('sched reads the events'); // sched events list",
        'cli/help/a.ts': "page.commands(['sched events list']);",
      },
      7,
    ],
    [
      ofPages,
      {
        'sandbox/desk/a.ts': `html\`<a href=\${url}>\` + html\`<p style="color: red">\``,
        'sandbox/pages/a.ts': `html\`<p onclick="go()">\` + html\`<script>go()</script>\``,
        'sandbox/pages/b.ts': `html\`<a href="\${url}">\` + html\`<script src="/assets/a.js"></script>\``,
      },
      4,
    ],
  ];
  test.each(examples)('%s (%#)', (rule, sources, times) => {
    expect(rules[rule]!(sources)).toHaveLength(times);
  });

  test('each of the rules', () => {
    expect(new Set(examples.map(([rule]) => rule))).toEqual(new Set(Object.keys(rules)));
  });

  test('no rule if everything in it is allowed', () => {
    const good: Sources = {
      'sandbox/open.ts': '// process.exit\nconst at = new Date(now);',
      'http/message.ts': "export const text = 'console.log(1)'; this.process.x; inProcess.y",
    };
    for (const rule of Object.keys(rules)) expect([rule, rules[rule]!(good)]).toEqual([rule, []]);
  });
});
