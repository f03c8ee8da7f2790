// Contents with images, sounds and files: bytes in the blob store of the session, references in facts and messages, words where neither helps.
import { expect, test } from 'vitest';
import type { ContentPart, LoadedPart, MediaPart } from '../../machines/content.ts';
import { EmbeddedSession } from '../../src/embed/embedded-session.ts';
import { KeepAlive } from '../../src/embed/keep-alive.ts';
import type { LocalSession } from '../../src/embed/local-session.ts';
import { factFrame } from '../../src/gateway/translate.ts';
import { estimatedUsage } from '../../src/model/estimate-usage.ts';
import { resolveMedia } from '../../src/model/resolve-media.ts';
import type { ToolEnd } from '../../src/tools/tool.ts';
import { type BlobStore, blobIdOf } from '../../src/transcript/blobs.ts';
import { createMemoryLog } from '../../src/transcript/memory.ts';
import { createMemoryBlobs } from '../../src/transcript/memory-blobs.ts';
import {
  callsOnce,
  type Harness,
  type HarnessOptions,
  startHarness,
  textResponse,
  toolOf,
} from '../support/harness.ts';
import { wrapLog } from '../support/wrap-log.ts';

const png = (fill: number, bytes = 2_048) => new Uint8Array(bytes).fill(fill);
const image = (fill: number, bytes?: number): LoadedPart => ({
  type: 'image',
  data: png(fill, bytes),
  mediaType: 'image/png',
  name: 'chart.png',
});
const text = (words: string): LoadedPart => ({ type: 'text', text: words });
const reference = (fill: number, bytes = 2_048): MediaPart => ({
  type: 'image',
  blob: blobIdOf(png(fill, bytes)),
  mediaType: 'image/png',
  bytes,
  name: 'chart.png',
});

/** Joins for ann, as an embedder does. */
function joinLocally(harness: Harness): LocalSession {
  const { runtime, sources } = harness;
  const keepAlive = new KeepAlive(() => () => {});
  const services = { runtime, ids: sources.ids, keepAlive, warn: () => {} };
  return new EmbeddedSession(services, { session: 's', kind: 'text', policy: 'anyone' }).as('ann', { after: 0 });
}

const showing = (end: Omit<ToolEnd, 'kind'>): HarnessOptions => ({
  tools: [toolOf('show', async () => ({ kind: 'completed', ...end }))],
  respond: callsOnce(['show']),
});

const lastMessages = ({ provider }: Harness) => provider.requests.at(-1)?.messages ?? [];

test('an image that a speaker says is in the request, and its bytes are in the session alone [model.parts]', async () => {
  const harness = await startHarness({ respond: () => textResponse('a chart') });
  const ann = joinLocally(harness);
  ann.say([text('What is this?'), image(1)]);
  await harness.clock.advance(1_000);
  const parts = [text('What is this?'), reference(1)];
  expect(harness.recorder.of('turn_opened')).toMatchObject([
    { text: 'What is this?\n[image chart.png: image/png, 2 KiB]', parts },
  ]);
  expect(lastMessages(harness).at(-1)).toMatchObject({ role: 'user', parts });
  expect(await ann.readBlob(reference(1).blob)).toEqual(png(1));
  expect(await harness.runtime.readBlob('other', reference(1).blob)).toBeNull();
  expect(JSON.stringify(harness.recorder.facts).length).toBeLessThan(3_000);
});

test('of several speakers, the name of the one who says an image stands before it [model.parts]', async () => {
  const harness = await startHarness();
  const ann = joinLocally(harness);
  await harness.say('hello');
  await harness.clock.advance(1_000);
  ann.say([image(1)]);
  await harness.clock.advance(1_000);
  expect(lastMessages(harness).at(-1)).toMatchObject({ parts: [text('ann:'), reference(1)] });
});

test('an image that a tool shows is in its result and in the next request, after it is durable [model.parts]', async () => {
  const blobs = createMemoryBlobs();
  const order: string[] = [];
  const log = createMemoryLog();
  const harness = await startHarness({
    log: wrapLog(log, {
      blobs: { ...blobsOf(blobs), put: (...put) => blobs.put(...put).then(() => void order.push('stored')) },
      append(session, epoch, expectedSeq, bodies) {
        for (const { type } of bodies) if (type === 'tool_result') order.push(type);
        return log.append(session, epoch, expectedSeq, bodies);
      },
    }),
    ...showing({ output: 'Here it is:', parts: [image(1), text('and its numbers')] }),
  });
  await harness.say('draw');
  await harness.clock.advance(1_000);
  const parts: ContentPart[] = [
    { type: 'text', text: 'Here it is:' },
    reference(1),
    { type: 'text', text: 'and its numbers' },
  ];
  const output = 'Here it is:\n[image chart.png: image/png, 2 KiB]\nand its numbers';
  expect(harness.recorder.of('tool_result')).toMatchObject([{ outcome: 'completed', output, parts }]);
  expect(order).toEqual(['stored', 'tool_result']);
  const messages = lastMessages(harness);
  expect(messages.at(-1)).toMatchObject({ role: 'tool', content: output, parts });
  const [resolved] = await resolveMedia(messages.slice(-1), { user: [], result: ['image/*'] }, (blob) =>
    harness.runtime.readBlob('s', blob),
  );
  expect(resolved).toMatchObject({ parts: [{ type: 'text' }, { type: 'image', data: png(1) }, { type: 'text' }] });
});

const blobsOf = (blobs: BlobStore): BlobStore => ({
  put: (session, given, limits) => blobs.put(session, given, limits),
  read: (session, blob) => blobs.read(session, blob),
  keepOnly: (session, kept) => blobs.keepOnly(session, kept),
  deleteAll: (session) => blobs.deleteAll(session),
});

test('a blob whose fact a crash has prevented is removed at the next opening, and no SAY can name it [model.parts]', async () => {
  const log = createMemoryLog();
  const first = await startHarness({ log });
  await first.session.storeBlobs([png(1), png(2)]);
  const said = first.session.say(first.alice, { text: '', parts: [reference(2)] });
  await first.clock.advance(1_000);
  expect(await said).toMatchObject({ type: 'turn_opened' });
  const second = await startHarness({ log, life: 2 }); // the first process is gone without a word
  expect(await second.session.readBlob(reference(1).blob)).toBeNull();
  expect(await second.session.readBlob(reference(2).blob)).toEqual(png(2));
  const refused = await second.session.say(second.alice, { text: '', parts: [reference(1)] });
  expect(refused).toMatchObject({ type: 'say_refused', code: 'unknown_blob' });
  const again = second.session.say(second.alice, { text: '', parts: [reference(2)] });
  await second.clock.advance(1_000);
  expect(await again).toMatchObject({ type: 'turn_opened' });
});

test.for([
  ['a hash that was never stored', reference(7)],
  ['another size', { ...reference(1), bytes: 1 }],
] as const)('a SAY that names %s opens no turn [model.parts]', async ([, part]) => {
  const harness = await startHarness();
  await harness.session.storeBlobs([png(1)]);
  await harness.runtime.storeBlobs('other', [png(7)]);
  const reply = await harness.session.say(harness.alice, { text: 'see', parts: [part] });
  expect(reply).toMatchObject({ type: 'say_refused', code: 'unknown_blob' });
});

test('a SAY comes again under its ref only with the same parts [model.parts]', async () => {
  const harness = await startHarness();
  await harness.session.storeBlobs([png(1), png(2)]);
  const say = async (...parts: ContentPart[]) => {
    const reply = harness.session.say(harness.alice, { text: 'see', parts, ref: 'r1' });
    await harness.clock.advance(1_000);
    return reply;
  };
  const { type, ...opened } = await say(reference(1));
  expect(type).toBe('turn_opened');
  expect(await say(reference(1))).toMatchObject(opened);
  expect(await say(reference(2))).toEqual({ type: 'ref_reused' });
  expect(await say(reference(1), reference(2))).toEqual({ type: 'ref_reused' });
});

test('parts of text alone are text [model.parts]', async () => {
  const harness = await startHarness();
  const ann = joinLocally(harness);
  ann.say([text('one'), text('two')]);
  await harness.clock.advance(1_000);
  const [opened] = harness.recorder.of('turn_opened');
  expect(opened).toMatchObject({ text: 'one\ntwo' });
  expect(opened).not.toHaveProperty('parts');
});

test('an image above a limit is refused to a speaker by name [model.parts]', async () => {
  const harness = await startHarness({ limits: { blobBytes: 2_000 } });
  const ann = joinLocally(harness);
  const turn = ann.say([image(1)]);
  const failed = expect(turn.ended).rejects.toMatchObject({ code: 'blob_too_large' });
  const later = ann.say('and without it?');
  await harness.clock.advance(1_000);
  await failed;
  expect(await later.ended).toMatchObject({ outcome: 'completed' });
});

test('what is said after an image comes after it, and a CANCEL of it overtakes it [model.parts]', async () => {
  const blobs = createMemoryBlobs();
  const stored = Promise.withResolvers<void>();
  const log = createMemoryLog();
  const slow: BlobStore = { ...blobsOf(blobs), put: (...put) => stored.promise.then(() => blobs.put(...put)) };
  const harness = await startHarness({ log: wrapLog(log, { blobs: slow }) });
  const ann = joinLocally(harness);
  const turns = [ann.say([image(1)]), ann.say([image(2)]), ann.say('three')];
  const stopped = expect(turns[1]?.ended).rejects.toMatchObject({ code: 'cancelled_before_start' });
  turns[1]?.cancel().settled.catch(() => {});
  await harness.clock.advance(100);
  stored.resolve();
  await harness.clock.advance(1_000);
  await stopped;
  expect(harness.recorder.of('turn_opened').map((fact) => fact.text)).toEqual([
    '[image chart.png: image/png, 2 KiB]',
    'three',
  ]);
});

test('words stand for what a tool shows above a limit, and its call completes [model.parts]', async () => {
  const harness = await startHarness({
    limits: { blobBytes: 3_000 },
    ...showing({ output: 'see', parts: [image(1, 4_096), image(2)] }),
  });
  await harness.say('draw');
  await harness.clock.advance(1_000);
  const [result] = harness.recorder.of('tool_result');
  expect(result).toMatchObject({ outcome: 'completed', parts: [{ type: 'text' }, { type: 'text' }, reference(2)] });
  expect(result?.output).toContain('[image chart.png: image/png, 4 KiB, not stored, because the limit is 3000 bytes]');
});

test('above the limit of a session the oldest images are swept, and words stand for them [model.parts]', async () => {
  const harness = await startHarness({ limits: { blobBytes: 2_048, sessionBlobBytes: 4_096 } });
  const ann = joinLocally(harness);
  for (const fill of [1, 2, 3]) {
    ann.say([image(fill)]);
    await harness.clock.advance(1_000);
  }
  const accepts = { user: ['image/*'], result: [] };
  const resolved = await resolveMedia(lastMessages(harness), accepts, (blob) => ann.readBlob(blob));
  expect(resolved.filter(({ role }) => role === 'user')).toMatchObject([
    { content: '[image chart.png: image/png, 2 KiB, no longer stored]' },
    { parts: [{ data: png(2) }] },
    { parts: [{ data: png(3) }] },
  ]);
});

test('a stop does not wait for a store that hangs: the call has completed, and words stand for its image [model.parts]', async () => {
  const log = createMemoryLog();
  const hanging: BlobStore = { ...blobsOf(createMemoryBlobs()), put: () => new Promise(() => {}) };
  const harness = await startHarness({
    log: wrapLog(log, { blobs: hanging }),
    ...showing({ output: 'done', parts: [image(1)] }),
  });
  const turn = await harness.say('draw');
  await harness.clock.advance(100);
  await harness.cancel({ target: turn });
  await harness.clock.advance(10);
  const [result] = harness.recorder.of('tool_result');
  expect(result).toMatchObject({ outcome: 'completed', effect: 'done' });
  expect(result?.output).toBe('done\n[image chart.png: image/png, 2 KiB, not stored, because the call was stopped]');
  expect(result).not.toHaveProperty('parts');
  expect(harness.settledReceipts()).toHaveLength(1);
});

test('a store that fails costs the image, not the call [model.parts]', async () => {
  const log = createMemoryLog();
  const failing: BlobStore = {
    ...blobsOf(createMemoryBlobs()),
    put: () => Promise.reject(new Error('the disk is full')),
  };
  const harness = await startHarness({
    log: wrapLog(log, { blobs: failing }),
    ...showing({ output: '', parts: [image(1)] }),
  });
  await harness.say('draw');
  await harness.clock.advance(1_000);
  expect(harness.recorder.of('tool_result')).toMatchObject([
    { outcome: 'completed', output: '[image chart.png: image/png, 2 KiB, not stored: the disk is full]' },
  ]);
  expect(harness.warnings).toHaveLength(1);
});

test.for([
  ['no bytes', [{ type: 'image', data: 'AQID', mediaType: 'image/png' }], 'parts[0].data'],
  ['empty bytes', [{ type: 'image', data: png(1, 0), mediaType: 'image/png' }], 'parts[0].data: must not be empty'],
  ['a media type of another kind', [{ type: 'image', data: png(1), mediaType: 'text/html' }], 'parts[0].mediaType'],
  ['too many parts', Array.from({ length: 65 }, () => text('x')), 'parts'],
] as const)('an end with %s fails its call, and says why [model.parts]', async ([, parts, words]) => {
  const end = { output: '', parts } as unknown as ToolEnd; // of an untrusted tool
  const harness = await startHarness(showing(end));
  await harness.say('draw');
  await harness.clock.advance(1_000);
  const [result] = harness.recorder.of('tool_result');
  expect(result).toMatchObject({ outcome: 'failed', code: 'tool_failed' });
  expect(result?.message).toContain(words);
});

test('an image counts in the limits of a conversation, and a summary of it is asked for in words [model.parts]', async () => {
  const harness = await startHarness({ limits: { compactAboveBytes: 16_000 } });
  const ann = joinLocally(harness);
  for (const fill of [1, 2, 3, 4]) {
    ann.say([image(fill)]);
    await harness.clock.advance(1_000);
  }
  const summaries = harness.provider.requests.filter(({ messages }) => messages.at(-1)?.content.includes('Summarize'));
  expect(summaries).not.toHaveLength(0);
  for (const { messages } of summaries) {
    expect(messages.some((message) => 'parts' in message)).toBe(false);
    expect(messages[0]?.content).toContain('[image chart.png: image/png, 2 KiB]');
  }
});

test('an image counts in an estimated usage [model.parts]', () => {
  const said = { role: 'user', content: 'see' } as const;
  const { input: words } = estimatedUsage({ messages: [said], tools: [] }, 1);
  const { input: shown } = estimatedUsage({ messages: [{ ...said, parts: [reference(1)] }], tools: [] }, 1);
  expect((shown ?? 0) - (words ?? 0)).toBe(1_500);
});

test('a frame of a result has its references, and texts within its limit [model.parts]', () => {
  const long = { type: 'text', text: 'x'.repeat(1_500) } as const;
  const frame = factFrame('s', {
    seq: 1,
    fact: {
      ...{ type: 'tool_result', turn: 't', node: 'c', outcome: 'completed', effect: 'none', at: 0 },
      ...{ output: '', parts: [long, reference(1), long] },
    },
  });
  expect(frame).toMatchObject({ parts: [long, reference(1), { type: 'text', text: 'x'.repeat(500) }] });
});

test('the texts of a result are bounded together [model.parts]', async () => {
  const long = 'x'.repeat(30_000);
  const harness = await startHarness(showing({ output: long, parts: [image(1), text(long), text(long)] }));
  await harness.say('draw');
  await harness.clock.advance(1_000);
  const [result] = harness.recorder.of('tool_result');
  expect(result?.output?.length).toBeLessThan(34_000);
  expect(result?.omitted).toBeGreaterThan(50_000);
});
