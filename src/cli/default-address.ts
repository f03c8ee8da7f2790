// The default addresses: of a gateway, where `serve` listens and `chat` connects, and of the inspector.

export const defaultHost = '127.0.0.1';
export const defaultPort = 7_077;
export const defaultPath = '/belay';
export const defaultUrl = `ws://${defaultHost}:${defaultPort}${defaultPath}`;

/** The port of `--stately`, to which receivers of `@xstate/inspect` connect by default. */
export const defaultStatelyPort = 8_080;
