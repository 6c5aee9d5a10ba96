import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { cleanEnvironment, program, sched, temporaryHome } from './program.ts';

/** A service that accepts deletions and remembers every one, in a process that nobody kills. */
export const listen = async (delayMs = 0): Promise<{ url: string; batches: string[][]; server: Server }> => {
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
      setTimeout(() => response.writeHead(202, { 'content-type': 'application/json' }).end('{}'), delayMs);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, batches, server };
};

const ended = (child: ChildProcess): Promise<string> =>
  new Promise((resolve) => {
    let text = '';
    for (const stream of [child.stdout!, child.stderr!])
      stream.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
    child.on('close', () => resolve(text));
  });

export interface Torture {
  kills: number;
  addresses: number;
  sentTwice: number;
  mostTimes: number;
  lost: number;
  seconds: number;
  result: { total: number; accepted: number; rejected: number; unknown: number };
  verdict: number | null;
  leaks: number;
}

/** Runs one deletion to its end though it is killed again and again, at moments of chance. */
export const torture = async ({ addresses, kills }: { addresses: number; kills: number }): Promise<Torture> => {
  const started = Date.now();
  const home = temporaryHome();
  const people = Array.from({ length: addresses }, (_, index) => `tortured.${index}@people.example`);
  const from = join(home, 'in.txt');
  writeFileSync(from, people.join('\n'));
  const service = await listen();
  const env = { SCHED_TOKEN: 'tok', SCHED_BASE_URL: service.url };
  const args = ['compliance', 'delete', '--from', from, '--confirm', String(addresses), '--json', '-v'];
  let said = '';
  let done = 0;
  let idle = 0;
  // A killed run must have come some way, so that the kills are spread over all of it.
  const share = Math.ceil(addresses / 25 / (kills + 1));
  while (done < kills) {
    const child = spawn(process.execPath, [program, ...args], { env: cleanEnvironment(home, env) });
    const text = ended(child);
    const before = service.batches.length;
    const wanted = idle % 5 === 4 ? 0 : 1 + Math.floor(Math.random() * share);
    idle += 1;
    while (child.exitCode === null && service.batches.length - before < wanted)
      await new Promise((go) => setTimeout(go, 1));
    await new Promise((go) => setTimeout(go, wanted === 0 ? Math.random() * 400 : Math.random() * 6));
    if (child.exitCode !== null) {
      said += await text;
      break;
    }
    child.kill('SIGKILL');
    said += await text;
    done += 1;
  }
  const last = await sched(args, home, env);
  said += last.stdout + last.stderr;
  service.server.close();
  const times = new Map<string, number>();
  for (const email of service.batches.flat()) times.set(email, (times.get(email) ?? 0) + 1);
  const result = JSON.parse(last.stdout) as Torture['result'] & { receipt: string; head: string };
  const verified = await sched(['compliance', 'verify', result.receipt, '--head', result.head], home);
  return {
    kills: done,
    addresses,
    sentTwice: service.batches.flat().length - times.size,
    mostTimes: Math.max(...times.values()),
    lost: people.filter((email) => !times.has(email)).length,
    seconds: (Date.now() - started) / 1000,
    result,
    verdict: verified.code,
    leaks: (said + readFileSync(result.receipt, 'utf8')).split('tortured').length - 1,
  };
};
