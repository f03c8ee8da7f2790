// Contents that tools show: stored before their result, words for what is not stored, and checked as untrusted.
import { expect, test } from 'vitest';
import type { ContentPart } from '../../../machines/content.ts';
import { createMemoryLog } from '../../../src/adapters/stores/memory.ts';
import type { BlobStore } from '../../../src/core/contracts/blobs.ts';
import type { ToolEnd } from '../../../src/core/contracts/tool.ts';
import { createMemoryBlobs } from '../../../src/core/transcript/memory-blobs.ts';
import { startHarness } from '../../support/harness.ts';
import { wrapLog } from '../../support/wrap-log.ts';
import { blobsOf, image, lastMessages, png, reference, showing, text } from './images.ts';

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
  expect(lastMessages(harness).at(-1)).toMatchObject({ role: 'tool', content: output, parts });
  expect(await harness.runtime.readBlob('s', reference(1).blob)).toEqual(png(1));
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

test('the texts of a result are bounded together [model.parts]', async () => {
  const long = 'x'.repeat(30_000);
  const harness = await startHarness(showing({ output: long, parts: [image(1), text(long), text(long)] }));
  await harness.say('draw');
  await harness.clock.advance(1_000);
  const [result] = harness.recorder.of('tool_result');
  expect(result?.output?.length).toBeLessThan(34_000);
  expect(result?.omitted).toBeGreaterThan(50_000);
});
