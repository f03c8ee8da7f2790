// The media of a request: bytes of what the endpoint takes, words for everything else.
import { expect, test } from 'vitest';
import type { ContentPart, MediaPart } from '../../../machines/content.ts';
import type { Message } from '../../../machines/messages.ts';
import { chatContentPart } from '../../../src/adapters/models/chat/chat-content.ts';
import { type AcceptedMedia, mediaOfRequest, resolveMedia } from '../../../src/adapters/models/resolve-media.ts';

const bytes = Uint8Array.of(1, 2, 3);
const image = (name: string, size = 3): MediaPart => ({
  type: 'image',
  blob: `blob of ${name}`,
  mediaType: 'image/png',
  bytes: size,
  name,
});
const text = (words: string): ContentPart => ({ type: 'text', text: words });
const said = (...parts: readonly ContentPart[]): Message => ({ role: 'user', content: 'in words', parts });
const called: Message = { role: 'assistant', content: '', calls: [{ callId: 'c1', name: 'browse', arguments: '{}' }] };
const result = (...parts: readonly ContentPart[]): Message => ({
  role: 'tool',
  callId: 'c1',
  content: 'in words',
  parts,
});
const seeing: AcceptedMedia = { user: ['image/*'], result: ['image/png'] };
const readBlob = async (): Promise<Uint8Array | null> => bytes;
const readNothing = async (): Promise<Uint8Array | null> => null;

test('what the endpoint takes has its bytes [model.parts]', async () => {
  const [user, , tool] = await resolveMedia(
    [said(text('see'), image('a')), called, result(image('b'))],
    seeing,
    readBlob,
  );
  const media = { type: 'image', mediaType: 'image/png', data: bytes };
  expect(user).toEqual({ role: 'user', content: 'in words', parts: [text('see'), { ...media, name: 'a' }] });
  expect(tool).toEqual({ role: 'tool', callId: 'c1', content: 'in words', parts: [{ ...media, name: 'b' }] });
});

test('messages without parts stay as they are [model.parts]', async () => {
  const messages: readonly Message[] = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'hi' },
    called,
  ];
  expect(await resolveMedia(messages, seeing, undefined)).toEqual(messages);
});

test.for([
  ['the model cannot read it', { user: ['audio/*'], result: [] }, readBlob, 'which this model cannot read'],
  ['it is too large for the endpoint', { ...seeing, maxBytes: 2 }, readBlob, 'too large for this model'],
  ['it was swept', seeing, readNothing, 'no longer stored'],
  ['nothing is stored', seeing, undefined, 'no longer stored'],
] as const)('words stand for a part where %s [model.parts]', async ([, accepts, read, why]) => {
  const [message] = await resolveMedia([said(text('see'), image('a'))], accepts, read);
  expect(message).toEqual({ role: 'user', content: `see\n[image a: image/png, 3 bytes, ${why}]` });
});

test('results of text only are followed by one message with their media [model.parts]', async () => {
  const given = [said(text('look')), called, result(text('the page'), image('a')), result(image('b')), called];
  const resolved = await resolveMedia(given, { user: ['image/*'], result: 'after' }, readBlob);
  expect(resolved.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'user', 'assistant']);
  expect(resolved[2]).toEqual({
    role: 'tool',
    callId: 'c1',
    content: 'the page\n[image a: image/png, 3 bytes, shown below as image 1]',
  });
  expect(resolved[4]).toMatchObject({
    parts: [
      text('[image 1 of the results above]'),
      { name: 'a' },
      text('[image 2 of the results above]'),
      { name: 'b' },
    ],
  });
});

test('no two messages of the user stand in a row after results [model.parts]', async () => {
  const given = [called, result(image('a')), said(text('and now?')), called];
  const resolved = await resolveMedia(given, { user: ['image/*'], result: 'after' }, readBlob);
  expect(resolved.map(({ role }) => role)).toEqual(['assistant', 'tool', 'user', 'assistant']);
  expect(resolved[2]).toMatchObject({ parts: [{ type: 'text' }, { type: 'image' }, text('and now?')] });
});

test('the newest media are kept within the limit of a request, and a blob is read once [model.parts]', async () => {
  const half = mediaOfRequest.maxBytes / 2;
  const read: string[] = [];
  const given = [said(image('old', half)), said(image('new', half)), said(image('new', half))];
  const resolved = await resolveMedia(given, seeing, async (blob) => {
    read.push(blob);
    return bytes;
  });
  const parts = resolved.flatMap((message) => {
    if (message.role !== 'user') return [];
    return message.parts ?? [{ type: 'text' as const, text: message.content }];
  });
  expect(parts).toMatchObject([
    { type: 'text', text: expect.stringContaining('left out') },
    { name: 'new' },
    { name: 'new' },
  ]);
  expect(read).toEqual(['blob of new']);
});

test('a chat request has an image, a sound and a file with their bytes [model.parts]', () => {
  const part = { mediaType: 'image/png', data: bytes } as const;
  expect(chatContentPart({ ...part, type: 'image' })).toEqual({
    type: 'image_url',
    image_url: { url: 'data:image/png;base64,AQID' },
  });
  expect(chatContentPart({ ...part, type: 'audio', mediaType: 'audio/mpeg' })).toEqual({
    type: 'input_audio',
    input_audio: { data: 'AQID', format: 'mp3' },
  });
  expect(chatContentPart({ ...part, type: 'file', mediaType: 'application/pdf', name: 'a.pdf' })).toEqual({
    type: 'file',
    file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AQID' },
  });
});
