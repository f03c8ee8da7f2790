// The page: the files of the folder page/, read and compressed when the first browser asks for one, and the headers that they are sent with.
//
// 1. The page runs its own scripts only, and talks to its own origin only: the policy says so to the browser.
// 2. Nothing but the files that lie in the folder can be named.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** A request for a file of the page. */
interface PageRequest {
  readonly method?: string | undefined;
  /** The path with its query. */
  readonly url?: string | undefined;
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
}

export interface PageReply {
  readonly status: 200 | 304;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
}

interface PageFile {
  readonly bytes: Buffer;
  readonly zipped: Buffer;
  readonly tag: string;
  readonly type: string;
}

const folder = fileURLToPath(new URL('../../../page/', import.meta.url));

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const securityHeaders = {
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(self)',
};

export class PageFiles {
  readonly #files: ReadonlyMap<string, PageFile>;

  constructor(files: ReadonlyMap<string, PageFile>) {
    this.#files = files;
  }

  /** Returns the reply to a request; null: it is for no file of the page. */
  reply({ method, url = '', headers }: PageRequest): PageReply | null {
    if (method !== 'GET' && method !== 'HEAD') return null;
    const [path = ''] = url.split('?', 1);
    const file = this.#files.get(path === '/' ? '/index.html' : path);
    if (!file) return null;
    // the names stay from version to version, so a browser asks each time whether its copy is still good
    const common = { ...securityHeaders, 'cache-control': 'no-cache', etag: file.tag, vary: 'accept-encoding' };
    if (headers['if-none-match'] === file.tag) return { status: 304, headers: common, body: null };
    const isZipped = String(headers['accept-encoding'] ?? '').includes('gzip');
    const bytes = isZipped ? file.zipped : file.bytes;
    return {
      status: 200,
      headers: {
        ...common,
        'content-type': file.type,
        'content-length': String(bytes.byteLength),
        ...(isZipped && { 'content-encoding': 'gzip' }),
      },
      body: method === 'HEAD' ? null : bytes,
    };
  }
}

/** What a page knows of its gateway before it connects. */
export interface PageFacts {
  /** Where the gateway's socket answers. */
  readonly path: string;
  /** A script plays the model. */
  readonly isScripted: boolean;
}

/**
 * Reads the files of the page. Without the folder, as in a checkout without a built page, there are none.
 * @param facts What the page reads from its own head.
 */
export async function readPageFiles(facts: PageFacts): Promise<PageFiles> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile() && extname(entry.name) in types);
  const read = files.map(async (entry) => {
    const place = `${entry.parentPath}/${entry.name}`;
    const name = `/${place.slice(folder.length).replace(/^\/+/, '')}`;
    const bytes = await readFile(place);
    return [name, await pageFile(name, name === '/index.html' ? withFacts(bytes, facts) : bytes)] as const;
  });
  return new PageFiles(new Map(await Promise.all(read)));
}

async function pageFile(name: string, bytes: Buffer): Promise<PageFile> {
  return {
    bytes,
    zipped: await promisify(gzip)(bytes),
    tag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
    type: types[extname(name)] ?? 'application/octet-stream',
  };
}

const socketPathMeta = '<meta name="belay-path" content="/belay"';
const modelMeta = '<meta name="belay-model" content=""';

/** Writes what the page reads of its gateway into its head. */
function withFacts(html: Buffer, { path, isScripted }: PageFacts): Buffer {
  const content = path.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  const withPath = html.toString('utf8').replace(socketPathMeta, `<meta name="belay-path" content="${content}"`);
  return Buffer.from(isScripted ? withPath.replace(modelMeta, modelMeta.replace('""', '"scripted"')) : withPath);
}
