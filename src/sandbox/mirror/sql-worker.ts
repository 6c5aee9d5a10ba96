import { parentPort } from 'node:worker_threads';
import { answerQuery, type SqlQuestion } from './query.ts';

/** Queries a mirror in a thread, so that its process notices meanwhile when `sched` has ended. */
parentPort!.on('message', async (question: SqlQuestion) => parentPort!.postMessage(await answerQuery(question)));
