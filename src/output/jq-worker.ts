import { parentPort } from 'node:worker_threads';
import { openEngine, type Question } from './jq-engine.ts';

/** jq in a thread of its own, one question after another: the thread can be ended while a program runs for ever. */
const engine = openEngine();
parentPort!.on('message', async (question: Question) => parentPort!.postMessage((await engine)(question)));
