// Starts the thread that writes a SQLite file.
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { systemSources } from '../../core/sources/system.ts';
import type { StorePort } from './sqlite-messages.ts';

/** Beside this file, under the same ending: `.js` once it is built. */
const threadFile = new URL(`./sqlite-worker${extname(new URL(import.meta.url).pathname)}`, import.meta.url);

/** Starts the thread of a file, which it opens with the first request. */
export const startStoreThread = (path: string): StorePort =>
  new Worker(threadFile, { workerData: { path, maker: systemSources.ids('log') }, name: 'log' });
