// Where a gateway is found when nobody says otherwise: `serve` listens there, `chat` looks there.

export const defaultHost = '127.0.0.1';
export const defaultPort = 7_077;
export const defaultPath = '/belay';
export const defaultUrl = `ws://${defaultHost}:${defaultPort}${defaultPath}`;

/** Where `--stately` lets inspectors connect: receivers of `@xstate/inspect` look there when nobody says otherwise. */
export const defaultStatelyPort = 8_080;
