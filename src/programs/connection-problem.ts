// Says in one sentence why a chat could not connect: a WebSocket does not say why its upgrade was refused, so the gateway is asked by HTTP.
import type { ConnectionClosed } from '../client/errors.ts';
import { addressWithoutKey } from '../wire/gateway-key.ts';
import { commandLine } from './command-names.ts';
import { type GatewayAddress, type GatewayReply, GatewayRequests, GatewayUnreachable } from './gateway-requests.ts';

/** How long the gateway may take to say why. */
const waitMs = 3_000;

/** Resolves with the sentence. `error`: of the connection. */
export async function connectionProblem({ url, token }: GatewayAddress, error: ConnectionClosed): Promise<string> {
  const at = addressWithoutKey(url);
  if (!URL.canParse(url)) return `${url} is no address. Give one like ws://127.0.0.1:7077.`;
  if (error.reason === 'unauthorized') return refusedToken(at, token);
  if (error.reason !== null) return error.message;
  try {
    const requests = new GatewayRequests({ url, token, waitMs });
    return sentenceOf(await requests.send('GET', '/api/sessions', { query: { limit: '1' } }), at, error);
  } catch (problem) {
    if (problem instanceof GatewayUnreachable)
      return `Nothing listens at ${at}. Is a gateway running? Start one with: ${commandLine('serve')}.`;
    return refusedToken(at, token);
  }
}

function sentenceOf({ status, code, message, body }: GatewayReply, at: string, error: ConnectionClosed): string {
  if (code === 'not_local')
    return `The gateway at ${at} serves its own machine only, as it has no tokens: ask whoever runs it for one.`;
  if (code !== null && status !== 404) return `The gateway at ${at} does not let you in: ${message}`;
  if (status === 200 && body['sessions'] !== undefined)
    return `There is a gateway at ${new URL(at).host}, and not at the path ${new URL(at).pathname}: give the address that it has printed.`;
  return `What listens at ${new URL(at).host} is no gateway of Belay (status ${status}). ${error.message}`;
}

/** The gateway has replied 401, or closed the connection for the token. */
const refusedToken = (at: string, token: string | undefined): string =>
  token === undefined
    ? `The gateway at ${at} wants to know who you are: give your token with --token or BELAY_TOKEN, or, if it runs without tokens as another user, the whole address that it has printed.`
    : `The gateway at ${at} does not accept the token: it is wrong or has expired.`;
