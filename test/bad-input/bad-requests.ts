// HTTP requests that a gateway must refuse, each with the status of the refusal: a table, sent as text over a bare connection.
import { upgradeText } from './raw-socket.ts';

export interface BadRequest {
  readonly what: string;
  readonly text: string;
  /** The status of the response. Several: whether the parser of Node or the gateway refuses it is the same to the client. */
  readonly status: readonly number[];
  /** What the response has to say. */
  readonly says?: RegExp;
}

const crlf = '\r\n';
const requestText = (line: string, headers: readonly string[] = [], body = ''): string =>
  [line, 'Host: 127.0.0.1', 'Connection: close', ...headers, '', body].join(crlf);
const request = (
  line: string,
  status: number | readonly number[],
  headers: readonly string[] = [],
  body = '',
): BadRequest => ({
  what: `${line.slice(0, 60)} ${headers.join(' ').slice(0, 60)}`,
  text: requestText(line, headers, body),
  status: [status].flat(),
});
const malformed = (what: string, text: string, status: number | readonly number[] = 400): BadRequest => ({
  what,
  text,
  status: [status].flat(),
});
type Headers = Parameters<typeof upgradeText>[0];
const upgrade = (what: string, headers: Headers, status: number | readonly number[], says?: RegExp): BadRequest => ({
  what: `an upgrade with ${what}`,
  text: upgradeText(headers),
  status: [status].flat(),
  ...(says && { says }),
});

const paths = [
  '//',
  '/index.htm',
  '/favicon.ico',
  '/robots.txt',
  '/.env',
  '/.git/config',
  '/admin',
  '/api/v1/sessions',
  '/belay/',
  '/belay/..',
  '/Belay',
  '/BELAY',
  '/belay%00',
  '/belay%2f',
  '/%62elay',
  '/belay;x',
  '/belay/../belay',
  '/../../etc/passwd',
  '/..%2f..%2fetc%2fpasswd',
  '/%2e%2e/%2e%2e/etc/passwd',
  '/\\..\\..\\windows',
  '/nowhere?key=x',
  '/%',
  '/%ff%fe',
  '/%c0%ae%c0%ae/',
  '/healthz/',
  '/HEALTHZ',
  '/debug/pprof',
  '/wp-login.php',
  '/a',
  `/${'x'.repeat(8_000)}`,
  `/nowhere?${'x'.repeat(8_000)}`,
  '/__proto__',
  '/constructor',
  '*',
  'http://example.org/belay',
];
const methods = [
  'POST',
  'PUT',
  'DELETE',
  'PATCH',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'LOCK',
  'SEARCH',
  'PURGE',
  'M-SEARCH',
];
const noMethods = [
  'FOO',
  'get',
  'GE T',
  'HELO',
  'GETGET',
  '',
  '\u0000',
  'SSH-2.0-OpenSSH_9.9',
  '\u0016\u0003\u0001',
  '{',
];

function* requests(): Generator<BadRequest> {
  for (const path of paths) {
    yield request(`GET ${path} HTTP/1.1`, [404, 400]);
    yield { what: `an upgrade at ${path.slice(0, 60)}`, text: upgradeText({}, { path }), status: [404, 400] };
  }
  yield { ...request('GET /belay HTTP/1.1', 426), says: /upgrade: websocket.*for WebSockets/is };
  yield request('GET /metrics HTTP/1.1', 401);
  for (const method of methods) {
    yield request(`${method} / HTTP/1.1`, method === 'OPTIONS' ? 204 : 404);
    yield request(`${method} /belay HTTP/1.1`, 426);
    yield request(`${method} /healthz HTTP/1.1`, method === 'OPTIONS' ? 204 : 405);
    yield { what: `an upgrade by ${method}`, text: upgradeText({}, { method }), status: [400, 405, 426] };
  }
  for (const method of noMethods)
    yield malformed(`the method ${JSON.stringify(method)}`, requestText(`${method} / HTTP/1.1`));
  for (const version of ['HTTP/0.9', 'HTTP/2.0', 'HTTP/3', 'HTTP/1.2', 'HTTP/11', 'HTTP', 'http/1.1', 'ICE/1.0', ''])
    yield malformed(`the version ${JSON.stringify(version)}`, requestText(`GET /nowhere ${version}`), [400, 404, 505]);
}

const headers: readonly (readonly [what: string, header: string, status: number | readonly number[]])[] = [
  ['a length that is no number', 'Content-Length: x', 400],
  ['a negative length', 'Content-Length: -1', 400],
  ['a length with a sign', 'Content-Length: +5', 400],
  ['a length with a fraction', 'Content-Length: 1.5', 400],
  ['a hexadecimal length', 'Content-Length: 0x10', 400],
  ['a length beyond all numbers', `Content-Length: ${'9'.repeat(40)}`, 400],
  ['two lengths', `Content-Length: 0${crlf}Content-Length: 5`, 400],
  ['a list of lengths', 'Content-Length: 0, 5', 400],
  ['a length and chunks', `Content-Length: 5${crlf}Transfer-Encoding: chunked`, 400],
  ['an unknown coding', 'Transfer-Encoding: rot13', [400, 404]],
  ['chunks that are not last', 'Transfer-Encoding: chunked, gzip', 400],
  ['a coding with a vertical tab', 'Transfer-Encoding: \u000bchunked', 400],
  ['a name with a space', 'X Y: 1', 400],
  ['a space before the colon', 'X-Y : 1', 400],
  ['no name', ': 1', 400],
  ['no colon', 'X-Y', 400],
  ['a name with a control', 'X\u0001Y: 1', 400],
  ['a value with NUL', 'X-Y: a\u0000b', 400],
  ['a value with DEL', 'X-Y: a\u007fb', 400],
  ['a bare carriage return', 'X-Y: a\rZ: b', 400],
  ['a bare line feed', 'X-Y: a\nZ b', 400],
  ['a folded line', `X-Y: a${crlf} b c`, [400, 404]],
  ['a value of 20 000 characters', `X-Y: ${'x'.repeat(20_000)}`, 431],
  ['a name of 20 000 characters', `${'x'.repeat(20_000)}: y`, 431],
  ['5 000 headers', Array.from({ length: 5_000 }, (_, i) => `h${i}: ${i}`).join(crlf), 431],
  ['a key of 20 000 characters', `Cookie: ${'a=b;'.repeat(5_000)}`, 431],
  ['an expectation that is none', 'Expect: 999-nothing', 417],
  ['a second host', 'Host: example.org', [400, 404]],
];

function* badHeaders(): Generator<BadRequest> {
  for (const [what, header, status] of headers) {
    yield { ...request('GET / HTTP/1.1', status, [header]), what };
    yield {
      ...request('POST /belay HTTP/1.1', status === 417 ? 417 : [...[status].flat(), 426], [header]),
      what: `${what}, by POST`,
    };
  }
  yield malformed('no host', `GET / HTTP/1.1${crlf}Connection: close${crlf}${crlf}`);
  yield malformed('nothing but line feeds', '\n\n\n\nx\n\n');
  yield malformed('text without a line', `${'x'.repeat(100)}${crlf}${crlf}`);
  yield malformed('a line of 100 000 characters', `GET /${'x'.repeat(100_000)} HTTP/1.1${crlf}${crlf}`, [400, 431]);
  yield malformed('a JSON text', '{"type":"HELLO"}\r\n\r\n');
  yield malformed('the preface of HTTP/2', `PRI * HTTP/2.0${crlf}${crlf}SM${crlf}${crlf}`, [400, 505]);
  yield malformed('a hello of TLS', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003');
  yield malformed(
    'a bad chunk',
    requestText('POST / HTTP/1.1', ['Transfer-Encoding: chunked'], `zz${crlf}x`),
    [400, 404],
  );
  yield malformed(
    'a chunk without an end',
    requestText('POST / HTTP/1.1', ['Transfer-Encoding: chunked'], '5\r\nabc'),
    [404, 408],
  );
  yield malformed(
    'less body than its length',
    requestText('POST / HTTP/1.1', ['Content-Length: 100'], 'abc'),
    [404, 408],
  );
  for (const [i, line] of [
    'GET',
    'GET /nowhere',
    'GET  /nowhere HTTP/1.1',
    ' GET / HTTP/1.1',
    'GET\t/\tHTTP/1.1',
    'GET / HTTP/1.1 x',
  ].entries())
    yield malformed(`the request line ${i}`, requestText(line), [400, 404]);
}

/** A JWT without a signature, as attackers try it. */
const unsigned = `${btoa('{"alg":"none"}')}.${btoa('{"sub":"good"}')}.`.replaceAll('=', '');
const badTokens = [
  'x',
  'token-of-good-0001',
  'TOKEN-OF-GOOD-0000',
  'token-of-good-000',
  'token-of-good-0000x',
  '"token-of-good-0000"',
  'null',
  'undefined',
  '__proto__',
  'constructor',
  'toString',
  '*',
  '../tokens.json',
  unsigned,
  `${unsigned}x`,
  'a.b.c',
  '...',
  'x'.repeat(8_193),
  `${'x'.repeat(4_000)}.y.z`,
  'token-of-good-0000,token-of-bad-0000',
  '%74oken-of-good-0000',
  '\u00e4',
];

function* upgrades(): Generator<BadRequest> {
  for (const token of badTokens)
    yield upgrade(`the token ${token.slice(0, 30)}`, { Authorization: `Bearer ${token}` }, 401, /token/);
  for (const protocols of [
    undefined,
    '',
    ',',
    'belay.v2',
    'belay',
    'BELAY.V1',
    'belay.v1x',
    'xbelay.v1',
    'belay v1',
    'chat',
  ])
    yield upgrade(
      `the protocols ${protocols}`,
      { 'Sec-WebSocket-Protocol': protocols },
      400,
      /belay\.v1|Sec-WebSocket-Protocol/i,
    );
  for (const version of [undefined, '', '0', '7', '12', '14', '130', '-13', '1e1', 'x', '13, 8'])
    yield upgrade(`the version ${version}`, { 'Sec-WebSocket-Version': version }, [400, 426]);
  for (const key of [
    undefined,
    '',
    'x',
    'dGhlIHNhbXBsZSBub25jZQ',
    'dGhlIHNhbXBsZSBub25jZQ=',
    'dGhlIHNhbXBsZQ==',
    '!'.repeat(24),
    'A'.repeat(24),
  ])
    yield upgrade(`the key ${key}`, { 'Sec-WebSocket-Key': key }, 400);
  for (const name of ['h2c', 'websocket2', 'WebSocket/13', 'foo', ','])
    yield upgrade(`the upgrade ${name}`, { Upgrade: name }, [400, 426]);
  for (const connection of [undefined, 'close', 'keep-alive', ''])
    yield upgrade(`the connection ${connection}`, { Connection: connection }, 426);
  for (const origin of [
    'https://evil.example',
    'null',
    'http://127.0.0.1.evil.example',
    'file://',
    'x',
    '',
    'http://127.0.0.1:1',
    'javascript:0',
    'http://',
  ])
    yield upgrade(`the origin ${origin}`, { Origin: origin }, 403, /origin/i);
  for (const forwarded of ['127.0.0.1', '::1', 'x', '', ','.repeat(1_000), '127.0.0.1, 127.0.0.1'])
    yield upgrade(
      `forwarded for ${forwarded.slice(0, 20)}, and no token`,
      { 'X-Forwarded-For': forwarded, Authorization: 'Bearer x' },
      401,
    );
}

export const badRequests: readonly BadRequest[] = [...requests(), ...badHeaders(), ...upgrades()];
