// The examples of docs/protocol.md are frames, and its tables say what the code says.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { defaultGatewayLimits } from '../../src/gateway/gateway-limits.ts';
import { clientSchemas } from '../../src/wire/client-frames.ts';
import { closeCodes } from '../../src/wire/close-codes.ts';
import { decodeClientFrame } from '../../src/wire/codec.ts';
import { serverSchemas } from '../../src/wire/server-frames.ts';

const page = readFileSync(new URL('../../docs/protocol.md', import.meta.url), 'utf8');
const examples = [...page.matchAll(/^### `(\w+)`$[\s\S]*?^```json\n([\s\S]*?)^```/gm)].map(
  ([, type = '', text = '']) => ({ type, text }),
);

describe('docs/protocol.md', () => {
  test('every frame has an example of its own type [ws.protocol]', () => {
    const headings = [...page.matchAll(/^### `(\w+)`$/gm)].map(([, type]) => type);
    expect(examples.map(({ type }) => type)).toEqual(headings);
    for (const { type, text } of examples) expect(JSON.parse(text)).toMatchObject({ type });
  });

  test.each(examples.filter(({ type }) => clientSchemas.has(type)))('the example of $type is taken', ({ text }) => {
    const frame = JSON.parse(text);
    expect(decodeClientFrame(JSON.stringify(frame))).toEqual({ ok: true, frame });
  });

  test.each(examples.filter(({ type }) => !clientSchemas.has(type)))(
    'the example of $type is good',
    ({ type, text }) => {
      expect(serverSchemas.get(type)?.safeParse(JSON.parse(text)).error).toBeUndefined();
      expect(serverSchemas.has(type)).toBe(true);
    },
  );

  test('the table of close codes is the code', () => {
    const rows = [...page.matchAll(/^\| (44\d\d) \| `(\w+)` \|/gm)].map(([, code, name]) => [name, Number(code)]);
    expect(rows).toEqual(Object.entries(closeCodes).map(([name, { code }]) => [name, code]));
  });

  test('the example of welcome tells the default limits', () => {
    const { limits } = JSON.parse(examples.find(({ type }) => type === 'welcome')?.text ?? '');
    expect(defaultGatewayLimits).toMatchObject(limits);
  });
});
