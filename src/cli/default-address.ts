// The default address of a gateway: `serve` listens there, `chat` connects there.

export const defaultHost = '127.0.0.1';
export const defaultPort = 7_077;
export const defaultPath = '/belay';
export const defaultUrl = `ws://${defaultHost}:${defaultPort}${defaultPath}`;

/** The port of `--stately`: receivers of `@xstate/inspect` connect there by default. */
export const defaultStatelyPort = 8_080;
