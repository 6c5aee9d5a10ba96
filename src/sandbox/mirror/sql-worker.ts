import { parentPort } from 'node:worker_threads';
import { answerQuery, type SqlQuestion } from './query.ts';

/** Queries a mirror in a thread that can be terminated if a query never ends. */
parentPort!.on('message', async (question: SqlQuestion) => parentPort!.postMessage(await answerQuery(question)));
