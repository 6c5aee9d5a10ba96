import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import type { LogEntry } from '../../src/sandbox/admin/log-admin.ts';
import { unlimitedHeaders } from '../../src/sandbox/rules/rate-limits.ts';
import { type ChildProcess, spawn } from '../support/processes.ts';
import { until } from '../support/until.ts';
import { cleanEnvironment, program, type RunningSandbox, runner, sched, temporaryHome } from './program.ts';

/**
 * A service that accepts deletions and remembers every one, in a process that nobody kills. It answers each batch at once,
 * or when told to.
 */
export const listen = async (
  onBatch: (count: number, answer: () => void) => void = (_, answer) => answer(),
): Promise<{ url: string; batches: string[][]; server: Server }> => {
  const batches: string[][] = [];
  const server = createServer((request, response) => {
    if (request.url === '/users/me') {
      const resource = {
        uri: 'https://api.example.com/users/U',
        current_organization: 'https://api.example.com/organizations/O',
      };
      return response.end(JSON.stringify({ resource }));
    }
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      batches.push((JSON.parse(body) as { emails: string[] }).emails);
      const headers = { 'content-type': 'application/json', ...unlimitedHeaders };
      onBatch(batches.length, () => response.writeHead(202, headers).end('{}'));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, batches, server };
};

const preload = new URL('kill-at.js', import.meta.url).href;

/** The output of a process that has ended. */
interface Remains {
  text: string;
  wasKilled: boolean;
}

const ended = (child: ChildProcess): Promise<Remains> =>
  new Promise((resolve) => {
    let text = '';
    for (const stream of [child.stdout!, child.stderr!])
      stream.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
    child.on('close', (_, signal) => resolve({ text, wasKilled: signal === 'SIGKILL' }));
  });

/** The file operation on the receipt at which a process is killed. */
export interface Step {
  step: number;
  how: 'before' | 'half' | 'after';
}

export interface Torture {
  kills: number;
  lost: number;
  sentTwice: number;
  result: { total: number; accepted: number; rejected: number; unknown: number };
  status: string;
  leaks: number;
}

/**
 * Runs deletions with the real program against a real sandbox without limits, which isn't killed. The sandbox's log shows which
 * addresses it accepted, and how often.
 */
export const openTorture = (sandbox: RunningSandbox) => {
  const log = async (method: 'GET' | 'DELETE') => {
    const reply = await fetch(`${sandbox.base_url}/__sandbox/log`, {
      method,
      headers: { 'x-sandbox-admin': sandbox.admin_token },
    });
    const entries = ((await reply.json()) as { log: LogEntry[] }).log;
    return entries.filter(({ operation, committed }) => operation === 'compliance.delete' && committed);
  };

  /** Starts a deletion of one input, to be killed any number of times and then finished. */
  const begin = async (addresses: number) => {
    await log('DELETE');
    const home = temporaryHome();
    const people = Array.from({ length: addresses }, (_, index) => `tortured.${index}@people.example`);
    const from = join(home, 'in.txt');
    const receipt = join(home, 'receipts', 'r.jsonl');
    mkdirSync(join(home, 'receipts'));
    writeFileSync(from, people.join('\n'));
    const env = { SCHED_TOKEN: sandbox.token, SCHED_BASE_URL: sandbox.base_url };
    const consent = ['--confirm', String(addresses)];
    const args = ['compliance', 'delete', '--from', from, ...consent, '--receipt', receipt, '--json', '-v'];
    let said = '';
    let kills = 0;

    const settle = async (remains: Promise<Remains>): Promise<boolean> => {
      const { text, wasKilled } = await remains;
      said += text;
      if (wasKilled) kills += 1;
      return wasKilled;
    };
    const size = () => statSync(receipt, { throwIfNoEntry: false })?.size ?? 0;

    return {
      /** Returns whether the process reached that step and was killed there. */
      dieAt: ({ step, how }: Step): Promise<boolean> => {
        const whole = cleanEnvironment(home, { ...env, KILL_STEP: String(step), KILL_HOW: how });
        return settle(ended(spawn(runner, ['--import', preload, ...program, ...args], { env: whole })));
      },
      /** Kills the process after the receipt grew by so many bytes. */
      dieAfter: async (bytes: number): Promise<boolean> => {
        const before = size();
        const child = spawn(runner, [...program, ...args], { env: cleanEnvironment(home, env) });
        const remains = ended(child);
        await Promise.race([until(() => size() - before >= bytes, dirname(receipt)), remains]);
        child.kill('SIGKILL');
        return settle(remains);
      },
      finish: async (): Promise<Torture> => {
        const last = await sched(args, home, env);
        said += last.stdout + last.stderr;
        const times = new Map<string, number>();
        const accepted = (await log('GET')).flatMap(({ body }) => (JSON.parse(body!) as { emails: string[] }).emails);
        for (const email of accepted) times.set(email, (times.get(email) ?? 0) + 1);
        const result = JSON.parse(last.stdout) as Torture['result'] & { head: string };
        const verified = await sched(['compliance', 'verify', receipt, '--head', result.head, '--json'], home);
        return {
          kills,
          lost: people.filter((email) => !times.has(email)).length,
          sentTwice: accepted.length - times.size,
          result,
          status: JSON.parse(verified.stdout).status,
          leaks: (said + readFileSync(receipt, 'utf8')).split('tortured').length - 1,
        };
      },
    };
  };
  return { begin };
};

/** Bytes that each batch of 25 adds to a receipt. */
export const bytesABatch = 2230;
