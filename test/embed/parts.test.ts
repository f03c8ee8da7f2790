// Contents that speakers say: bytes in the blob store of the session, references in facts and messages, words where neither helps.
import { expect, test } from 'vitest';
import { resolveMedia } from '../../src/adapters/models/resolve-media.ts';
import { createMemoryLog } from '../../src/adapters/stores/memory.ts';
import type { BlobStore } from '../../src/core/contracts/blobs.ts';
import { createMemoryBlobs } from '../../src/core/transcript/memory-blobs.ts';
import { EmbeddedSession } from '../../src/embed/embedded-session.ts';
import { PendingKeepAlive } from '../../src/embed/keep-alive.ts';
import type { LocalSession } from '../../src/embed/local-session.ts';
import { blobsOf, image, lastMessages, png, reference, text } from '../core/session/images.ts';
import { type Harness, startHarness, textResponse } from '../support/harness.ts';
import { wrapLog } from '../support/wrap-log.ts';

/** Joins the session of the harness for ann, as an embedder does. */
function joinLocally(harness: Harness): LocalSession {
  const { runtime, sources } = harness;
  const keepAlive = new PendingKeepAlive(() => () => {});
  const services = { runtime, ids: sources.ids, clock: sources.clock, keepAlive, warn: () => {} };
  return new EmbeddedSession(services, { session: 's', kind: 'text', policy: 'anyone' }).as('ann', { after: 0 });
}

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

test('an image with a wrong media type opens no turn, and what follows it does [model.parts]', async () => {
  const harness = await startHarness();
  const ann = joinLocally(harness);
  const wrong = ann.say([{ type: 'image', data: png(1), mediaType: 'png' }]);
  const failed = expect(wrong.ended).rejects.toMatchObject({ code: 'bad_field' });
  const later = ann.say('and now?');
  await harness.clock.advance(1_000);
  await failed;
  expect(await later.ended).toMatchObject({ outcome: 'completed' });
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
