// Support of the tests of contents with images: their bytes, their references, a tool that shows them.
import type { LoadedPart, MediaPart } from '../../../machines/content.ts';
import type { Message } from '../../../machines/messages.ts';
import { type BlobStore, blobIdOf } from '../../../src/core/contracts/blobs.ts';
import type { ToolEnd } from '../../../src/core/contracts/tool.ts';
import { callsOnce, type Harness, type HarnessOptions, toolOf } from '../../support/harness.ts';

export const png = (fill: number, bytes = 2_048) => new Uint8Array(bytes).fill(fill);
export const image = (fill: number, bytes?: number): LoadedPart => ({
  type: 'image',
  data: png(fill, bytes),
  mediaType: 'image/png',
  name: 'chart.png',
});
export const text = (words: string): LoadedPart => ({ type: 'text', text: words });
export const reference = (fill: number, bytes = 2_048): MediaPart => ({
  type: 'image',
  blob: blobIdOf(png(fill, bytes)),
  mediaType: 'image/png',
  bytes,
  name: 'chart.png',
});

/** The model calls a tool that ends so. */
export const showing = (end: Omit<ToolEnd, 'kind'>): HarnessOptions => ({
  tools: [toolOf('show', async () => ({ kind: 'completed', ...end }))],
  respond: callsOnce(['show']),
});

/** The messages of the last request. */
export const lastMessages = ({ provider }: Harness): readonly Message[] => provider.requests.at(-1)?.messages ?? [];

/** A store that calls another one, to be changed in a part. */
export const blobsOf = (blobs: BlobStore): BlobStore => ({
  put: (session, given, limits) => blobs.put(session, given, limits),
  read: (session, blob) => blobs.read(session, blob),
  keepOnly: (session, kept) => blobs.keepOnly(session, kept),
  deleteAll: (session) => blobs.deleteAll(session),
});
