import { parentPort } from 'node:worker_threads';
import { type JqInput, openEngine } from './jq-engine.ts';

/** Runs jq in a thread that can be terminated if a program never ends. Handles one question at a time. */
const engine = openEngine();
parentPort!.on('message', async (question: JqInput) => parentPort!.postMessage((await engine)(question)));
