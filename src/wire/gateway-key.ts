// The key of a gateway without tokens: where addresses carry it, and the file in which the gateway leaves it for clients of the same user.

/** The parameter of an address that carries the key. */
export const keyParameter = 'key';

/** The part of a process's environment that says where its user's state is. */
export interface UserFolders {
  /** `XDG_STATE_HOME`; it counts if it is an absolute path. */
  readonly state: string | undefined;
  readonly home: string;
}

/**
 * Returns the path of the key file of a gateway that listens at the host (an IP address) and port. The folder lies beside the records of
 * hosts (src/adapters/processes/host-record.ts).
 */
export function keyFilePath({ state = '', home }: UserFolders, host: string, port: number): string {
  return `${state.startsWith('/') ? state : `${home}/.local/state`}/belay/keys/${host}-${port}.json`;
}

/** Returns the text of a key file. */
export const keyFileText = (key: string): string => `${JSON.stringify({ key })}\n`;

/** Parses the text of a key file; null: it is none. */
export function parseKeyFile(text: string): string | null {
  try {
    const value: unknown = JSON.parse(text);
    const key = typeof value === 'object' && value !== null && 'key' in value ? value.key : null;
    return typeof key === 'string' && key !== '' ? key : null;
  } catch {
    return null;
  }
}

/** Returns an address with the key. */
export function addressWithKey(address: string, key: string): string {
  const url = new URL(address);
  url.searchParams.set(keyParameter, key);
  return url.href;
}

/** Returns the address of the page of a gateway, which opens it signed in: with the key in its fragment, which no server sees. */
export function pageAddress(address: string, key: string | null): string {
  const url = new URL('/', address);
  url.protocol = url.protocol === 'wss:' ? 'https:' : 'http:';
  if (key !== null) url.hash = new URLSearchParams({ [keyParameter]: key }).toString();
  return url.href;
}

/** Returns an address without its key, to be shown in messages. A text that is no address stays as it is. */
export function addressWithoutKey(address: string): string {
  if (!URL.canParse(address)) return address;
  const url = new URL(address);
  if (!url.searchParams.has(keyParameter)) return address;
  url.searchParams.delete(keyParameter);
  return url.href;
}
