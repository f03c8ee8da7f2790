// Finds the key that a gateway on this machine has left for clients of its user (src/gateway/key-file.ts). In Node only: a browser has no files.
//
// Node's modules come from `process.getBuiltinModule`: an import would be one of the browser's bundle, too.
import { addressWithKey, keyFilePath, keyParameter, parseKeyFile } from '../wire/gateway-key.ts';

/** The addresses at which `localhost` may be. */
const loopbacks = ['127.0.0.1', '[::1]'];

/**
 * Returns the address with the key of the gateway there. It stays as it is if it carries a key, or if no key is known. `localhost` becomes
 * the address whose gateway has left the key: another program may listen at the other one.
 */
export function addressWithKnownKey(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (!url || url.searchParams.has(keyParameter)) return address;
  const port = Number(url.port || (url.protocol === 'wss:' ? 443 : 80));
  for (const host of url.hostname === 'localhost' ? loopbacks : [url.hostname]) {
    const key = readKey(host.replace(/^\[|\]$/g, ''), port);
    if (key === null) continue;
    url.hostname = host;
    return addressWithKey(url.href, key);
  }
  return address;
}

/** Reads the key of a gateway on this machine; null: no gateway has left one there for this user. */
function readKey(host: string, port: number): string | null {
  const node = globalThis.process as NodeJS.Process | undefined; // undefined in a browser
  const files = node?.getBuiltinModule?.('fs');
  const system = node?.getBuiltinModule?.('os');
  if (!node || !files || !system) return null;
  try {
    const folders = { state: node.env['XDG_STATE_HOME'], home: system.homedir() };
    return parseKeyFile(files.readFileSync(keyFilePath(folders, host, port), 'utf8'));
  } catch {
    return null;
  }
}
